# Sums up what rtl-model/coverage has: modules, tb/untoggled, and what runs wrote of lines and of toggles.
function base(path) { sub(/.*\//, "", path); sub(/\.sv$/, "", path); return path }
function count(text, of) { return gsub(of, "", text) }
function percent(part, all) { return all ? sprintf("%5.1f", 100 * part / all) : "    -" }

# The module that a place is in, and the blocks of `generate` between it and the signal.
function locate(place,    part, n, i, module) {
    if (place in module_of) return
    n = split(place, part, ".")
    module = part[2]
    for (i = 3; i <= n; i++) {
        sub(/__BRA__.*/, "", part[i])
        if ((module, part[i]) in made_of) {
            module = made_of[module, part[i]]
            block[place] = ""
        } else block[place] = block[place] part[i] "."
    }
    module_of[place] = module
}

# Bits of one signal in two places, as tb/toggles.h says, the highest one first.
function merge(a, b,    i, x, y, both) {
    while (length(a) < length(b)) a = "-" a
    while (length(b) < length(a)) b = "-" b
    if (a == b || a !~ /[^+]/ || b !~ /[^-]/) return a
    if (a !~ /[^-]/) return b
    for (i = 1; i <= length(a); i++) {
        x = substr(a, i, 1)
        y = substr(b, i, 1)
        both = both (y == "+" || x == "-" ? y : x) # to rise in one place and fall in the other is not enough
    }
    return both
}

# Takes out the bits of a row of tb/untoggled: high:low, or high:low+N for these and each N bits higher.
function leave_out(r, key, part,    width, edge, b, i) {
    width = length(bits[key])
    split(part, edge, /[:+]/)
    if (edge[3] == "") edge[3] = width
    for (b = edge[2] + 0; b < width; b++) {
        if ((b - edge[2]) % edge[3] > edge[1] - edge[2]) continue
        i = width - b
        if (substr(bits[key], i, 1) == "+") wrong = wrong row[r] ": " key " " b ": toggles\n"
        bits[key] = substr(bits[key], 1, i - 1) "x" substr(bits[key], i + 1)
        used[r]++
    }
}
function leave_out_all(key, module, signal,    r, list, n, i) {
    for (r = 1; r <= rows; r++) {
        if (module !~ in_module[r] || signal !~ names[r]) continue
        n = split(range[r], list, ",")
        for (i = 1; i <= n; i++) leave_out(r, key, list[i] == "all" ? length(bits[key]) - 1 ":0" : list[i])
    }
}
function ranges(text,    i, width, from, list) { # of bits that did not toggle
    width = length(text)
    for (i = 1; i <= width + 1; i++) {
        if (i <= width && substr(text, i, 1) ~ /[-rf]/) { if (!from) from = i }
        else if (from) {
            list = list (list == "" ? "" : ",") (width - from) (i - 1 > from ? ":" (width - i + 1) : "")
            from = 0
        }
    }
    return list
}

FILENAME ~ /\.sv$/ {
    if (/^ *hub_[a-z_]+ (#|u_)/) made = $1
    if (match($0, /u_[a-z_]+ \($/)) made_of[base(FILENAME), substr($0, RSTART, RLENGTH - 2)] = made
}
FILENAME ~ /untoggled$/ && !/^#/ && NF {
    n = split($0, column, / +[|] +/)
    row[++rows] = FILENAME ":" FNR
    in_module[rows] = "^(" column[1] ")$"
    names[rows] = "^(" column[2] ")$"
    range[rows] = column[3]
}
FILENAME ~ /\.lines$/ && /^C/ {
    kind = lines = ""
    n = split(substr($0, 4, length($0) - 4 - length($NF) - 1), field, "\001")
    for (i = 1; i <= n; i++) {
        split(field[i], pair, "\002")
        if (pair[1] == "f") file = base(pair[2])
        if (pair[1] == "l") line = pair[2]
        if (pair[1] == "n") at = pair[2]
        if (pair[1] == "o") kind = pair[2]
        if (pair[1] == "S") lines = pair[2]
    }
    point = file SUBSEP line SUBSEP at SUBSEP kind
    reached[point] += $NF
    lines_of[point] = lines
}
FILENAME ~ /\.toggles$/ && $2 !~ /^unused_/ { # those are read by lint alone
    locate($1)
    key = module_of[$1] " " block[$1] $2
    bits[key] = key in bits ? merge(bits[key], $3) : $3
    instance_bits += length($3)
    instance_toggled += count($3, "[+]")
}
END {
    for (point in reached) {
        split(point, p, SUBSEP)
        if (p[4] != "block") { branches[p[1]]++; taken[p[1]] += reached[point] > 0 }
        if (!reached[point]) print "not reached: " p[1] ".sv:" p[2] ", " p[4] | "sort"
        n = split(lines_of[point], list, ",")
        for (i = 1; i <= n; i++) {
            split(list[i], ends, "-")
            for (l = ends[1] + 0; l <= (list[i] ~ /-/ ? ends[2] : ends[1]) + 0; l++) {
                seen[p[1], l]
                if (!reached[point]) missed[p[1], l]
            }
        }
    }
    close("sort")
    for (l in seen) { split(l, p, SUBSEP); lines_in[p[1]]++; hit[p[1]] += !(l in missed) }
    for (key in bits) {
        split(key, p, " ")
        modules[p[1]]
        leave_out_all(key, p[1], p[2])
        all[p[1]] += length(bits[key])
        toggled[p[1]] += count(bits[key], "[+]")
        out[p[1]] += count(bits[key], "x")
        if (bits[key] ~ /[-rf]/) print "not toggled: " key " " ranges(bits[key]) | "sort"
    }
    close("sort")
    for (r = 1; r <= rows; r++) if (!used[r]) wrong = wrong row[r] ": there is no such bit\n"
    printf "\n%-17s %6s %7s %5s %9s %6s %5s %7s %8s %6s %5s\n", "module", "lines", "reached", "%", "branches", "taken", "%", "bits", "toggled", "never", "%"
    for (m in modules) {
        printf "%-17s %6d %7d %s %9d %6d %s %7d %8d %6d %s\n", m, lines_in[m], hit[m], percent(hit[m], lines_in[m]), branches[m], taken[m], percent(taken[m], branches[m]), all[m], toggled[m], out[m], percent(toggled[m], all[m] - out[m]) | "sort"
        a += lines_in[m]; b += hit[m]; c += branches[m]; d += taken[m]; e += all[m]; f += toggled[m]; g += out[m]
    }
    close("sort")
    printf "%-17s %6d %7d %s %9d %6d %s %7d %8d %6d %s\n", "all", a, b, percent(b, a), c, d, percent(d, c), e, f, g, percent(f, e - g)
    printf "%.1f %% of the bits with those that cannot toggle; %.1f %% of all bits of all instances\n", 100 * f / e, 100 * instance_toggled / instance_bits
    printf "%s", wrong
    exit wrong != "" || (gate && (b < 0.95 * a || f < 0.85 * (e - g)))
}
