/* abbrev.c - tables are read once a unit; codes that are too large to index by are refused. */
#include "symbols/abbrev.h"

/* Codes above this are refused: tables number their entries from one. */
enum { MAX_CODE = 1 << 20 };

static sym_abbrev *entry_for(sym_abbrevs *abbrevs, uint64_t code)
{
    while (abbrevs->by_code.n <= code)
        ebb_vec_push(&abbrevs->by_code, (sym_abbrev){0});
    return &abbrevs->by_code.items[code];
}

static bool read_attrs(sym_abbrevs *abbrevs, sym_reader *r, sym_abbrev *entry)
{
    entry->first_attr = (uint32_t)abbrevs->attrs.n;
    for (;;) {
        sym_abbrev_attr attr = {0};
        uint64_t name = sym_read_uleb(r), form = sym_read_uleb(r);
        if (r->failed)
            return false;
        if (name == 0 && form == 0)
            break;
        attr.name = name > UINT16_MAX ? UINT16_MAX : (uint16_t)name;
        attr.form = form > UINT16_MAX ? UINT16_MAX : (uint16_t)form;
        if (form == DW_FORM_implicit_const)
            attr.implicit = sym_read_sleb(r);
        entry->has_sibling |= name == DW_AT_sibling;
        ebb_vec_push(&abbrevs->attrs, attr);
    }
    entry->n_attrs = (uint32_t)(abbrevs->attrs.n - entry->first_attr);
    return true;
}

bool sym_abbrevs_read(sym_abbrevs *abbrevs, sym_bytes section, uint64_t offset)
{
    sym_reader r = sym_reader_at(section, offset);
    abbrevs->offset = offset;
    abbrevs->is_valid = false;
    abbrevs->by_code.n = abbrevs->attrs.n = 0;
    for (;;) {
        uint64_t code = sym_read_uleb(&r);
        if (r.failed || code > MAX_CODE)
            return false;
        if (code == 0)
            break;
        sym_abbrev entry = {0};
        uint64_t tag = sym_read_uleb(&r);
        entry.tag = tag > UINT16_MAX ? UINT16_MAX : (uint16_t)tag;
        entry.has_children = sym_read_u8(&r) != 0;
        if (!read_attrs(abbrevs, &r, &entry))
            return false;
        *entry_for(abbrevs, code) = entry;
    }
    abbrevs->is_valid = true;
    return true;
}

void sym_abbrevs_fini(sym_abbrevs *abbrevs)
{
    ebb_vec_fini(&abbrevs->by_code);
    ebb_vec_fini(&abbrevs->attrs);
    *abbrevs = (sym_abbrevs){0};
}

int sym_form_size(unsigned form, const sym_unit *unit)
{
    switch (form) {
    case DW_FORM_flag_present:
    case DW_FORM_implicit_const: return 0;
    case DW_FORM_data1:
    case DW_FORM_ref1:
    case DW_FORM_flag:
    case DW_FORM_strx1:
    case DW_FORM_addrx1: return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2: return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3: return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
    case DW_FORM_ref_sup4: return 4;
    case DW_FORM_addr: /* ebb reads 64-bit files only */
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8: return 8;
    case DW_FORM_data16: return 16;
    case DW_FORM_ref_addr: return unit->version == 2 ? 8 : unit->offset_size;
    case DW_FORM_strp:
    case DW_FORM_line_strp:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt: return unit->offset_size;
    default: return -1;
    }
}

bool sym_form_skip(sym_reader *r, unsigned form, const sym_unit *unit)
{
    int size = sym_form_size(form, unit);
    if (size >= 0) {
        sym_read_skip(r, (uint64_t)size);
        return !r->failed;
    }
    switch (form) {
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
    case DW_FORM_GNU_addr_index:
    case DW_FORM_GNU_str_index: sym_read_uleb(r); break;
    case DW_FORM_string: sym_read_text(r); break;
    case DW_FORM_block1: sym_read_skip(r, sym_read_u8(r)); break;
    case DW_FORM_block2: sym_read_skip(r, sym_read_u16(r)); break;
    case DW_FORM_block4: sym_read_skip(r, sym_read_u32(r)); break;
    case DW_FORM_block:
    case DW_FORM_exprloc: sym_read_skip(r, sym_read_uleb(r)); break;
    case DW_FORM_indirect: {
        uint64_t real = sym_read_uleb(r);
        return real != DW_FORM_indirect && real <= UINT16_MAX &&
               sym_form_skip(r, (unsigned)real, unit);
    }
    default: return false;
    }
    return !r->failed;
}

static bool is_loclist(const sym_abbrev_attr *attr, uint16_t version)
{
    if (attr->name != DW_AT_location)
        return false;
    return attr->form == DW_FORM_sec_offset || attr->form == DW_FORM_loclistx ||
           (version < 4 && (attr->form == DW_FORM_data4 || attr->form == DW_FORM_data8));
}

bool sym_abbrevs_have_loclist(sym_unit *unit)
{
    sym_abbrevs abbrevs = {0};
    sym_abbrevs_read(&abbrevs, unit->sections->abbrev, unit->abbrev_offset);
    bool found = false;
    for (size_t i = 0; i < abbrevs.by_code.n && !found; i++) {
        const sym_abbrev *entry = &abbrevs.by_code.items[i];
        if (entry->tag != DW_TAG_variable && entry->tag != DW_TAG_formal_parameter)
            continue;
        for (size_t a = 0; a < entry->n_attrs; a++)
            found |= is_loclist(&abbrevs.attrs.items[entry->first_attr + a], unit->version);
    }
    sym_abbrevs_fini(&abbrevs);
    return found;
}
