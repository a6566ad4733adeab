# Sentences of Markdown pages and of comments in C or SystemVerilog, one a line: FILE:LINE, KIND and TEXT, with tabs between them.
# LINE is where the paragraph begins.
# KIND is `text` (a sentence), `cell` (of a table) or `head`. Blocks of code, drawings and generated tables are left out;
# what stands between backquotes becomes `@`, a link its text.
FNR == 1 { flush(); page = FILENAME ~ /\.md$/; fence = generated = comment = 0 }
page { markdown($0) }
!page { c_source($0) }
END { flush() }

function emit(kind, text) {
    gsub(/^[ \t]+|[ \t]+$/, "", text)
    if (text ~ /[A-Za-z]/) printf "%s:%d\t%s\t%s\n", file, line, kind, text
}

function add(text) {
    if (para == "") { line = FNR; file = FILENAME }
    para = para " " text
}

function plain(text) {
    gsub(/!\[[^]]*\]\([^)]*\)/, "", text)
    gsub(/`[^`]*`/, "@", text)
    while (match(text, /\[[^][]*\]\([^)]*\)/)) {
        link = substr(text, RSTART + 1, RLENGTH - 1)
        sub(/\]\([^)]*\)$/, "", link)
        text = substr(text, 1, RSTART - 1) link substr(text, RSTART + RLENGTH)
    }
    gsub(/<!--[^>]*-->/, "", text)
    return text
}

function flush(text, end) {
    text = plain(para)
    gsub(/\.\.\./, "…", text)
    while (match(text, /[.!?][])"*_]*[ \t]+/)) {
        end = RSTART + RLENGTH
        emit("text", substr(text, 1, end - 1))
        text = substr(text, end)
    }
    emit("text", text)
    para = ""
}

function markdown(text, n, cells, i) {
    if (text ~ /^ *```/) { flush(); fence = !fence; return }
    if (text ~ /^<!-- table:/) { flush(); generated = 1 }
    if (text ~ /^<!-- end -->/) generated = 0
    if (fence || generated) return
    if (text ~ /^ *$/ || text ~ /^<!--/) { flush(); return }
    if (text ~ /^#/) { flush(); sub(/^#+ /, "", text); add(text); text = plain(para); para = ""; emit("head", text); return }
    if (text ~ /^ *\|/) {
        flush()
        if (text ~ /^ *\|[-:|]+\|$/) return
        add(text); text = plain(para); para = ""
        n = split(text, cells, /\|/)
        for (i = 1; i <= n; i++) emit("cell", cells[i])
        return
    }
    if (text ~ /^ *([-*]|[0-9]+\.) /) { flush(); sub(/^ *([-*]|[0-9]+\.) /, "", text) }
    add(text)
}

# A line of drawing has no sentence: it holds two blanks in its midst, or a sign that text has not.
function c_source(text) {
    if (!comment) {
        if (match(text, /\/\*/)) { comment = 1; text = substr(text, RSTART + 2); sub(/^\*?<?/, "", text) }
        else if (text ~ /^[ \t]*\/\/( |$)/) { # a block of such lines is one text
            sub(/^[ \t]*\/\/ ?/, "", text)
            if (text ~ /^ *$/) flush()
            else add(text)
            return
        }
        else if (match(text, /[ \t]\/\/ /)) { sub(/.*[ \t]\/\/ /, "", text); flush(); add(text); flush(); return }
        else { flush(); return }
    }
    if (match(text, /\*\//)) { comment = 0; text = substr(text, 1, RSTART - 1) }
    sub(/^[ \t]*\*? ?/, "", text)
    if (text ~ /^ *$/ || text ~ /[^ .]   *[^ ]|--|[|<>]/) flush()
    else add(text)
    if (!comment) flush()
}
