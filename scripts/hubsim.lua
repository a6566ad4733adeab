-- Wireshark and tshark read captures of hubsim (--pcap FILE) with this:
--   wireshark -X lua_script:scripts/hubsim.lua FILE
--   tshark    -X lua_script:scripts/hubsim.lua -r FILE
-- A packet is a header of ours (sim/observe/capture_format.h), then a PCI Express TLP from its
-- sequence number to its LCRC, or a DLLP with its CRC-16. Chapters and tables are those of the PCI
-- Express Base Specification 3.0.

local hubsim = Proto("hubsim", "hubsim capture")
local tlp = Proto("pcie_tlp", "PCI Express TLP")
local dllp = Proto("pcie_dllp", "PCI Express DLLP")

local HEADER_BYTES, VERSION = 20, 1

---- names ---------------------------------------------------------------------------------------

local flag_names = { "replay", "corrupt", "nullified", "lost" } -- from bit 0 on

local formats = { -- Fmt, table 2-2
    [0] = "3 DW header, no data", [1] = "4 DW header, no data", [2] = "3 DW header, with data",
    [3] = "4 DW header, with data", [4] = "TLP prefix",
}

local routings = { -- r[2:0] of messages, table 2-18
    [0] = "to the root complex", [1] = "by address", [2] = "by ID", [3] = "broadcast from the root complex",
    [4] = "local, ends at the receiver", [5] = "gathered to the root complex",
}

local messages = { -- section 2.2.8
    [0x00] = "Unlock", [0x14] = "PM_Active_State_Nak", [0x18] = "PM_PME", [0x19] = "PME_Turn_Off",
    [0x1b] = "PME_TO_Ack", [0x20] = "Assert_INTA", [0x21] = "Assert_INTB", [0x22] = "Assert_INTC",
    [0x23] = "Assert_INTD", [0x24] = "Deassert_INTA", [0x25] = "Deassert_INTB",
    [0x26] = "Deassert_INTC", [0x27] = "Deassert_INTD", [0x30] = "ERR_COR", [0x31] = "ERR_NONFATAL",
    [0x33] = "ERR_FATAL", [0x40] = "Attention_Indicator_Off", [0x41] = "Attention_Indicator_On",
    [0x43] = "Attention_Indicator_Blink", [0x44] = "Power_Indicator_Off",
    [0x45] = "Power_Indicator_On", [0x47] = "Power_Indicator_Blink",
    [0x48] = "Attention_Button_Pressed", [0x50] = "Set_Slot_Power_Limit",
    [0x7e] = "Vendor_Defined Type 0", [0x7f] = "Vendor_Defined Type 1",
}

local statuses = { -- table 2-29
    [0] = "Successful Completion (SC)", [1] = "Unsupported Request (UR)",
    [2] = "Configuration Request Retry Status (CRS)", [4] = "Completer Abort (CA)",
}
local short_status = { [0] = "SC", [1] = "UR", [2] = "CRS", [4] = "CA" }

local addressings = { [0] = "untranslated", [1] = "translation request", [2] = "translated" }

-- Type, table 2-3: what it is called without and with data; which 4 DW forms there are; who uses it.
local types = {
    [0x00] = { "MRd", "MWr", dw4 = true, kind = "memory" },
    [0x01] = { "MRdLk", nil, dw4 = true, kind = "memory" },
    [0x02] = { "IORd", "IOWr", kind = "io" },
    [0x04] = { "CfgRd0", "CfgWr0", kind = "config" },
    [0x05] = { "CfgRd1", "CfgWr1", kind = "config" },
    [0x0a] = { "Cpl", "CplD", kind = "completion" },
    [0x0b] = { "CplLk", "CplDLk", kind = "completion" },
    [0x0c] = { nil, "FetchAdd", dw4 = true, kind = "atomic" },
    [0x0d] = { nil, "Swap", dw4 = true, kind = "atomic" },
    [0x0e] = { nil, "CAS", dw4 = true, kind = "atomic" },
}
for routing = 0, 7 do
    types[0x10 + routing] = { "Msg", "MsgD", dw4 = true, dw3 = false, kind = "message" }
end

local dllp_types = { -- table 3-1; flow control by its upper half
    [0x00] = "Ack", [0x10] = "Nak", [0x20] = "PM_Enter_L1", [0x21] = "PM_Enter_L23",
    [0x23] = "PM_Active_State_Request_L1", [0x24] = "PM_Request_Ack", [0x30] = "Vendor-specific",
}
local flow_control = { [4] = "InitFC1", [8] = "UpdateFC", [12] = "InitFC2" }
local classes = { [0] = "P", [1] = "NP", [2] = "Cpl" }
for stage, name in pairs(flow_control) do
    for class, short in pairs(classes) do
        for vc = 0, 7 do
            dllp_types[stage * 16 + class * 16 + vc] = name .. "-" .. short
        end
    end
end

---- fields --------------------------------------------------------------------------------------

local uint8, uint16, uint32, uint64, bool = ProtoField.uint8, ProtoField.uint16, ProtoField.uint32, ProtoField.uint64, ProtoField.bool
local DEC, HEX = base.DEC, base.HEX

local h = {
    version = uint8("hubsim.version", "Version"),
    kind = uint8("hubsim.kind", "Kind", DEC, { [0] = "TLP", [1] = "DLLP" }),
    flags = uint8("hubsim.flags", "Flags", HEX),
    replay = bool("hubsim.flags.replay", "Replay", 8, nil, 0x01, "Was sent before"),
    corrupt = bool("hubsim.flags.corrupt", "Corrupted", 8, nil, 0x02, "Bits changed on its way"),
    nullified = bool("hubsim.flags.nullified", "Nullified", 8, nil, 0x04,
        "Its sender took it back: it ends with EDB and an inverted LCRC"),
    lost = bool("hubsim.flags.lost", "Lost", 8, nil, 0x08, "Its framing was hit: it is not seen"),
    direction = uint8("hubsim.direction", "Direction"),
    link = uint32("hubsim.link", "Link"),
    begin = uint64("hubsim.begin_ps", "First symbol [ps]"),
    duration = uint32("hubsim.duration_ps", "On the wire [ps]"),
    port = ProtoField.string("hubsim.port", "Sent by"),
    to = ProtoField.string("hubsim.to", "To"),
}
hubsim.fields = h

local t = {
    seq = uint16("pcie_tlp.seq", "Sequence number", DEC, nil, 0x0fff),
    fmt = uint8("pcie_tlp.fmt", "Fmt", HEX, formats, 0xe0),
    type = uint8("pcie_tlp.type", "Type", HEX, nil, 0x1f),
    name = ProtoField.string("pcie_tlp.name", "TLP"),
    tc = uint8("pcie_tlp.tc", "Traffic class", DEC, nil, 0x70),
    ido = bool("pcie_tlp.attr.ido", "ID-based ordering", 8, nil, 0x04),
    th = bool("pcie_tlp.th", "Processing hint", 8, nil, 0x01),
    td = bool("pcie_tlp.td", "TLP digest", 8, nil, 0x80),
    ep = bool("pcie_tlp.ep", "Poisoned", 8, nil, 0x40),
    ro = bool("pcie_tlp.attr.ro", "Relaxed ordering", 8, nil, 0x20),
    ns = bool("pcie_tlp.attr.ns", "No snoop", 8, nil, 0x10),
    at = uint8("pcie_tlp.at", "Address type", DEC, addressings, 0x0c),
    length = uint16("pcie_tlp.length", "Length [DW]", DEC),
    requester = uint16("pcie_tlp.requester_id", "Requester ID", HEX),
    completer = uint16("pcie_tlp.completer_id", "Completer ID", HEX),
    target = uint16("pcie_tlp.target_id", "Target ID", HEX),
    tag = uint8("pcie_tlp.tag", "Tag", HEX),
    last_be = uint8("pcie_tlp.last_be", "Last DW byte enables", HEX, nil, 0xf0),
    first_be = uint8("pcie_tlp.first_be", "First DW byte enables", HEX, nil, 0x0f),
    address = uint64("pcie_tlp.address", "Address", HEX),
    register = uint16("pcie_tlp.register", "Register", HEX),
    code = uint8("pcie_tlp.message_code", "Message code", HEX, messages),
    routing = uint8("pcie_tlp.message_routing", "Message routing", DEC, routings, 0x07),
    message = ProtoField.bytes("pcie_tlp.message", "Message bytes 8 to 15"),
    status = uint8("pcie_tlp.status", "Completion status", DEC, statuses, 0xe0),
    bcm = bool("pcie_tlp.bcm", "Byte count modified", 8, nil, 0x10),
    count = uint16("pcie_tlp.byte_count", "Byte count"),
    lower = uint8("pcie_tlp.lower_address", "Lower address", HEX, nil, 0x7f),
    data = ProtoField.bytes("pcie_tlp.data", "Data"),
    ecrc = uint32("pcie_tlp.ecrc", "ECRC", HEX),
    lcrc = uint32("pcie_tlp.lcrc", "LCRC", HEX),
    lcrc_good = bool("pcie_tlp.lcrc.good", "LCRC is right"),
    response_in = ProtoField.framenum("pcie_tlp.response_in", "Completed in", base.NONE, frametype.RESPONSE),
    response_to = ProtoField.framenum("pcie_tlp.response_to", "Completion of", base.NONE, frametype.REQUEST),
    time = uint64("pcie_tlp.time_ps", "Time since the request [ps]"),
}
tlp.fields = t

local d = {
    type = uint8("pcie_dllp.type", "Type", HEX, dllp_types),
    class = uint8("pcie_dllp.class", "Class", DEC, classes, 0x30),
    vc = uint8("pcie_dllp.vc", "Virtual channel", DEC, nil, 0x07),
    hdr = uint8("pcie_dllp.hdr_fc", "HdrFC"),
    data = uint16("pcie_dllp.data_fc", "DataFC", DEC, nil, 0x0fff),
    seq = uint16("pcie_dllp.seq", "AckNak_Seq_Num", DEC, nil, 0x0fff),
    vendor = ProtoField.uint24("pcie_dllp.vendor", "Vendor-specific data", HEX),
    crc = uint16("pcie_dllp.crc", "CRC-16", HEX),
    crc_good = bool("pcie_dllp.crc.good", "CRC-16 is right"),
}
dllp.fields = d

local group, severity = expert.group, expert.severity
local function error_info(name, text, kind) return ProtoExpert.new(name, text, kind or group.MALFORMED, severity.ERROR) end

local e_header = error_info("hubsim.malformed", "Not a capture of hubsim")
hubsim.experts = { e_header }
local e_tlp = error_info("pcie_tlp.malformed", "Malformed TLP")
local e_lcrc = error_info("pcie_tlp.lcrc.bad", "LCRC is wrong", group.CHECKSUM)
local e_poison = ProtoExpert.new("pcie_tlp.poisoned", "Poisoned data", group.RESPONSE_CODE, severity.WARN)
local e_status = ProtoExpert.new("pcie_tlp.unsuccessful", "Unsuccessful completion", group.RESPONSE_CODE, severity.NOTE)
local e_stray = ProtoExpert.new("pcie_tlp.unexpected", "Completion of no request that was captured", group.SEQUENCE,
    severity.NOTE)
tlp.experts = { e_tlp, e_lcrc, e_poison, e_status, e_stray }
local e_dllp = error_info("pcie_dllp.malformed", "Malformed DLLP")
local e_crc = error_info("pcie_dllp.crc.bad", "CRC-16 is wrong", group.CHECKSUM)
dllp.experts = { e_dllp, e_crc }

---- checksums -----------------------------------------------------------------------------------

local band, bor, bxor, bnot = bit.band, bit.bor, bit.bxor, bit.bnot
local lshift, rshift = bit.lshift, bit.rshift

local function byte(buffer, at) return buffer(at, 1):uint() end

local function crc_table(polynomial) -- mirrored
    local of = {}
    for byte = 0, 255 do
        local crc = byte
        for _ = 1, 8 do
            crc = bxor(rshift(crc, 1), band(crc, 1) ~= 0 and polynomial or 0)
        end
        of[byte] = crc
    end
    return of
end
local crc32_of, crc16_of = crc_table(0xedb88320), crc_table(0xd008)

local function crc(of, first, bytes)
    local value = first
    for i = 1, #bytes do
        value = bxor(rshift(value, 8), of[band(bxor(value, bytes:byte(i)), 0xff)])
    end
    return bnot(value)
end

---- requests and their completions --------------------------------------------------------------

local requests, completions, waiting = {}, {}, {} -- by frame; by frame; by link, direction, ID, tag

function hubsim.init()
    requests, completions, waiting = {}, {}, {}
end

local function key(link, direction, id, tag)
    return table.concat({ link, direction, id, tag }, " ")
end

-- A request waits from its first appearance until a completion brings its last bytes or an error.
local function note_request(info, frame)
    local at = key(info.link, info.direction, info.requester, info.tag)
    if not (info.replay and waiting[at]) then
        requests[frame] = { frame = frame, begin = info.begin }
        waiting[at] = requests[frame]
    end
end

local function note_completion(info, frame)
    local at = key(info.link, 1 - info.direction, info.requester, info.tag)
    local request = waiting[at]
    if not request then return end
    completions[frame] = request
    request.response = request.response or frame
    if info.status ~= 0 or info.last then waiting[at] = nil end
end

local function add_request_links(info, frame, tree)
    local request = requests[frame]
    if request and request.response then tree:add(t.response_in, request.response):set_generated() end
end

local function add_completion_links(info, frame, tree)
    local request = completions[frame]
    if not request then
        if not info.damaged and not info.replay then tree:add_proto_expert_info(e_stray) end
        return
    end
    tree:add(t.response_to, request.frame):set_generated()
    tree:add(t.time, UInt64.new(info.begin - request.begin)):set_generated()
end

---- TLPs ----------------------------------------------------------------------------------------

local function id_text(id)
    return string.format("%02x:%02x.%x", rshift(id, 8), band(rshift(id, 3), 0x1f), band(id, 7))
end

local function add_id(tree, field, range)
    tree:add(field, range):append_text(" (" .. id_text(range:uint()) .. ")")
end

-- Bytes 4 to 7 of requests but messages.
local function add_request(b, tree)
    add_id(tree, t.requester, b(4, 2))
    tree:add(t.tag, b(6, 1))
    tree:add(t.last_be, b(7, 1))
    tree:add(t.first_be, b(7, 1))
end

local function hex64(high, low)
    return high ~= 0 and string.format("0x%x%08x", high, low) or string.format("0x%x", low)
end

local function dissect_memory(b, info, tree)
    add_request(b, tree)
    local low_at = info.dw4 and 12 or 8
    local high = info.dw4 and b(8, 4):uint() or 0
    local low = band(b(low_at, 4):uint(), 0xfffffffc)
    if low < 0 then low = low + 4294967296 end
    tree:add(t.address, info.dw4 and b(8, 8) or b(8, 4), UInt64.new(low, high))
    if info.dw4 and high == 0 then tree:add_proto_expert_info(e_tlp, "4 DW header for an address below 4 GiB (2.2.4.1)") end
    if info.kind == "memory" and low % 4096 + 4 * info.length > 4096 then
        tree:add_proto_expert_info(e_tlp, "Crosses a 4 KiB boundary (2.2.7)")
    end
    info.text = hex64(high, low)
end

local function dissect_config(b, info, tree)
    add_request(b, tree)
    local register = band(b(10, 2):uint(), 0xffc)
    add_id(tree, t.target, b(8, 2))
    tree:add(t.register, b(10, 2), register)
    info.text = string.format("%s register 0x%03x", id_text(b(8, 2):uint()), register)
end

local function dissect_message(b, info, tree)
    tree:add(t.routing, b(0, 1))
    add_id(tree, t.requester, b(4, 2))
    tree:add(t.tag, b(6, 1))
    tree:add(t.code, b(7, 1))
    tree:add(t.message, b(8, 8))
    info.text = messages[byte(b, 7)] or string.format("code 0x%02x", byte(b, 7))
end

local function dissect_completion(b, info, tree)
    local status = rshift(byte(b, 6), 5)
    local count = band(b(6, 2):uint(), 0xfff)
    local lower = band(byte(b, 11), 0x7f)
    count = count == 0 and 4096 or count
    add_id(tree, t.completer, b(4, 2))
    tree:add(t.status, b(6, 1))
    tree:add(t.bcm, b(6, 1))
    tree:add(t.count, b(6, 2), count)
    add_id(tree, t.requester, b(8, 2))
    tree:add(t.tag, b(10, 1))
    tree:add(t.lower, b(11, 1))
    if status ~= 0 then
        tree:add_proto_expert_info(e_status, "Completion status " .. (short_status[status] or status))
    end
    info.status = status
    info.last = not info.has_data or count <= 4 * info.length - lower % 4
    info.text = string.format("%s for %s, %d bytes left", short_status[status] or "reserved status",
        id_text(info.requester), count)
end

local by_kind = {
    memory = dissect_memory, atomic = dissect_memory, io = dissect_memory, config = dissect_config, message = dissect_message,
    completion = dissect_completion,
}

-- What byte enables may be (2.2.5).
local first_ok = { [0x8] = true, [0xc] = true, [0xe] = true, [0xf] = true }
local last_ok = { [0x1] = true, [0x3] = true, [0x7] = true, [0xf] = true }

local function check_enables(info, first, last, quadword, tree)
    local wrong
    if info.kind ~= "memory" then
        if info.length ~= 1 or last ~= 0 then wrong = "Configuration and I/O requests have one DW (2.2.7)" end
    elseif info.length == 1 then
        if last ~= 0 then wrong = "Last byte enables set in a request of one DW (2.2.5)" end
    elseif first == 0 or last == 0 then
        wrong = "No byte enabled in the first or last DW (2.2.5)"
    elseif (info.length > 2 or not quadword) and not (first_ok[first] and last_ok[last]) then
        wrong = "Byte enables are not contiguous (2.2.5)"
    end
    if wrong then tree:add_proto_expert_info(e_tlp, wrong) end
end

local function dissect_word0(b, tree)
    local bytes = { [0] = { t.fmt, t.type }, { t.tc, t.ido, t.th }, { t.td, t.ep, t.ro, t.ns, t.at } }
    for at = 0, 2 do
        for _, field in ipairs(bytes[at]) do
            local item = tree:add(field, b(at, 1))
            if field == t.ep and band(byte(b, 2), 0x40) ~= 0 then item:add_proto_expert_info(e_poison) end
        end
    end
end

-- Data and digest behind a header of n bytes. Returns false where the length does not fit.
local function dissect_data(b, n, info, tree)
    local data = info.has_data and 4 * info.length or 0
    local digest = band(byte(b, 2), 0x80) ~= 0 and 4 or 0
    if b:len() ~= n + data + digest then
        tree:add_proto_expert_info(e_tlp, string.format("%d bytes behind the header: expected %d", b:len() - n, data + digest))
        return false
    end
    if data > 0 then tree:add(t.data, b(n, data)) end
    if digest > 0 then tree:add(t.ecrc, b(n + data, 4)) end
    return true
end

-- Header, data and digest. Returns the name, or nil for what is no TLP.
local function dissect_packet(b, info, tree)
    local fmt, number = rshift(byte(b, 0), 5), band(byte(b, 0), 0x1f)
    local kind = types[number]
    info.dw4, info.has_data = band(fmt, 1) ~= 0, band(fmt, 2) ~= 0
    local name = kind and fmt < 4 and kind[info.has_data and 2 or 1]
    local n = info.dw4 and 16 or 12
    dissect_word0(b, tree)
    if not name or (info.dw4 and not kind.dw4) or (not info.dw4 and kind.dw3 == false) then
        tree:add_proto_expert_info(e_tlp, "Fmt and Type that no TLP has (table 2-3)")
        return nil
    end
    if b:len() < n then
        tree:add_proto_expert_info(e_tlp, "Shorter than its header")
        return nil
    end
    info.kind, info.length = kind.kind, band(b(2, 2):uint(), 0x3ff)
    if name ~= "Cpl" and name ~= "CplLk" and name ~= "Msg" then -- there it is reserved (2.2.1)
        info.length = info.length == 0 and 1024 or info.length
    end
    tree:add(t.length, b(2, 2), info.length)
    info.requester = b(info.kind == "completion" and 8 or 4, 2):uint()
    info.tag = byte(b, info.kind == "completion" and 10 or 6)
    by_kind[info.kind](b, info, tree)
    if info.kind == "memory" or info.kind == "config" or info.kind == "io" then
        local enables = byte(b, 7)
        check_enables(info, band(enables, 0xf), rshift(enables, 4), band(byte(b, n - 1), 4) == 0, tree)
    end
    dissect_data(b, n, info, tree)
    return name
end

local function summary(name, info)
    local text = name .. " " .. info.text
    if info.kind == "memory" or info.kind == "atomic" then text = text .. string.format(", %d DW", info.length) end
    if info.kind ~= "message" and not (name == "MWr") then text = text .. string.format(", tag 0x%02x", info.tag) end
    return text
end

local function dissect_tlp(buffer, pinfo, info, root)
    local frame, n = pinfo.number, buffer:len()
    local tree = root:add(tlp, buffer())
    if n < 2 + 12 + 4 then
        tree:add_proto_expert_info(e_tlp, "Shorter than any TLP")
        return "TLP, too short"
    end
    local lcrc = crc(crc32_of, 0xffffffff, buffer:raw(0, n - 4))
    local good = bxor(lcrc, bor(buffer(n - 4, 4):le_uint(), 0)) == 0
    local b = buffer(2, n - 6):tvb()
    tree:add(t.seq, buffer(0, 2))
    local name = dissect_packet(b, info, tree)
    tree:add_le(t.lcrc, buffer(n - 4, 4))
    tree:add(t.lcrc_good, buffer(n - 4, 4), good):set_generated()
    if not good and not info.nullified then tree:add_proto_expert_info(e_lcrc) end
    if not name then return "TLP of no known type" end
    tree:add(t.name, name):set_generated()
    tree:append_text(", " .. name)
    info.damaged = not good or info.lost
    if info.kind == "completion" then
        if not pinfo.visited and not info.damaged then note_completion(info, frame) end
        add_completion_links(info, frame, tree)
    elseif info.kind ~= "message" and name ~= "MWr" then
        if not pinfo.visited and not info.damaged then note_request(info, frame) end
        add_request_links(info, frame, tree)
    end
    return summary(name, info) .. string.format(", seq %d", band(buffer(0, 2):uint(), 0xfff))
end

---- DLLPs ---------------------------------------------------------------------------------------

local function dissect_dllp(buffer, pinfo, info, root)
    local tree = root:add(dllp, buffer())
    if buffer:len() ~= 6 then
        tree:add_proto_expert_info(e_dllp, "Not 6 bytes")
        return "DLLP of " .. buffer:len() .. " bytes"
    end
    local type = byte(buffer, 0)
    local name = dllp_types[type]
    local good = band(bxor(crc(crc16_of, 0xffff, buffer:raw(0, 4)), buffer(4, 2):le_uint()), 0xffff) == 0
    local text = name
    tree:add(d.type, buffer(0, 1))
    if not name then
        text = string.format("DLLP of type 0x%02x", type)
        if good then tree:add_proto_expert_info(e_dllp, "A type that the specification does not have (table 3-1)") end
    elseif type >= 0x40 then
        local hdr, data = band(rshift(buffer(1, 2):uint(), 6), 0xff), band(buffer(2, 2):uint(), 0xfff)
        tree:add(d.class, buffer(0, 1))
        tree:add(d.vc, buffer(0, 1))
        tree:add(d.hdr, buffer(1, 2), hdr)
        tree:add(d.data, buffer(2, 2))
        text = string.format("%s, VC%d, headers %d, data %d", name, band(type, 7), hdr, data)
    elseif type == 0x00 or type == 0x10 then
        tree:add(d.seq, buffer(2, 2))
        text = string.format("%s %d", name, band(buffer(2, 2):uint(), 0xfff))
    elseif type == 0x30 then
        tree:add(d.vendor, buffer(1, 3))
    end
    tree:add_le(d.crc, buffer(4, 2))
    tree:add(d.crc_good, buffer(4, 2), good):set_generated()
    if not good then tree:add_proto_expert_info(e_crc) end
    tree:append_text(", " .. (name or "unknown type"))
    return text
end

---- the header of ours --------------------------------------------------------------------------

local interface_name, interface_text = Field.new("frame.interface_name"), Field.new("frame.interface_description")

local function add_ports(pinfo, tree)
    local from, both = interface_name(), interface_text()
    if not from then return end
    local to = both and both.value:match(" to (.*)$") or ""
    tree:add(h.port, from.value):set_generated()
    tree:add(h.to, to):set_generated()
    pinfo.cols.src, pinfo.cols.dst = from.value, to
end

local function dissect_header(buffer, pinfo, root)
    local tree = root:add(hubsim, buffer(0, HEADER_BYTES))
    local flags = byte(buffer, 2)
    tree:add(h.version, buffer(0, 1))
    tree:add(h.kind, buffer(1, 1))
    local sub = tree:add(h.flags, buffer(2, 1))
    local info = { link = buffer(4, 4):uint(), direction = byte(buffer, 3), begin = buffer(8, 8):uint64():tonumber() }
    for i, name in ipairs(flag_names) do
        sub:add(h[name], buffer(2, 1))
        info[name] = band(flags, lshift(1, i - 1)) ~= 0
    end
    tree:add(h.direction, buffer(3, 1))
    tree:add(h.link, buffer(4, 4))
    tree:add(h.begin, buffer(8, 8))
    tree:add(h.duration, buffer(16, 4))
    add_ports(pinfo, tree)
    return info
end

local function marks(info)
    local text = ""
    for _, name in ipairs(flag_names) do
        if info[name] then text = text .. " [" .. name .. "]" end
    end
    return text
end

function hubsim.dissector(buffer, pinfo, root)
    if buffer:len() < HEADER_BYTES or byte(buffer, 0) ~= VERSION or byte(buffer, 1) > 1 then
        root:add(hubsim, buffer()):add_proto_expert_info(e_header)
        return
    end
    local info = dissect_header(buffer, pinfo, root)
    local rest, is_tlp = buffer(HEADER_BYTES):tvb(), byte(buffer, 1) == 0
    local text = (is_tlp and dissect_tlp or dissect_dllp)(rest, pinfo, info, root)
    pinfo.cols.protocol = is_tlp and "TLP" or "DLLP"
    pinfo.cols.info = text .. marks(info)
end

DissectorTable.get("wtap_encap"):add(wtap.USER0, hubsim)
