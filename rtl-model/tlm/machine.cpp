#include "machine.h"

#include <cstring>

#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

namespace hubsim
{

namespace
{
/* An error of the loader jumps out of here, so nothing here may have to be destroyed. */
struct Request {
    const char *name;
    const char *const *sets;
    unsigned nsets;
    load_machine *loaded;
};

void load(void *arg)
{
    auto *request = static_cast<Request *>(arg);
    load_arena scratch = {};
    load_roots roots;
    load_options opt = {};

    load_roots_init(&roots);
    opt.roots = &roots;
    opt.kinds = lab_kinds();
    opt.sets = request->sets;
    opt.nsets = request->nsets;
    request->loaded =
        load_machine_create(load_find(&roots, "machines", request->name, &scratch), &opt);
    load_arena_fini(&scratch);
}
} // namespace

void check(int code, const sim_error &err)
{
    if (code != SIM_OK)
        throw code == SIM_ERR_NOMEM && err.text[0] == '\0' ? Error("out of memory") : Error(err);
}

Machine::Machine(const std::string &name, const std::vector<std::string> &sets)
{
    std::vector<const char *> texts;
    sim_error err = {};

    texts.reserve(sets.size());
    for (const std::string &set : sets)
        texts.push_back(set.c_str());
    Request request = { name.c_str(), texts.data(), static_cast<unsigned>(texts.size()), nullptr };
    check(load_attempt(load, &request, &err), err);
    loaded = request.loaded;
    if (desc().nfaults != 0) {
        load_machine_destroy(loaded);
        throw Error(name + ": links between SystemC modules have no faults: expected none");
    }
}

Machine::~Machine()
{
    load_machine_destroy(loaded);
}

const machine_desc &Machine::desc() const
{
    return *load_machine_desc(loaded);
}

static const machine_component_desc *find(const machine_node_desc &node, const std::string &name)
{
    for (unsigned i = 0; i < node.ncomponents; i++)
        if (name == node.components[i].name)
            return &node.components[i];
    return nullptr;
}

const machine_component_desc &Machine::component(unsigned node, const std::string &name,
                                                 const machine_kind &kind) const
{
    const std::string path = "node" + std::to_string(node) + "." + name;
    const machine_component_desc *found =
        node < desc().nnodes ? find(desc().nodes[node], name) : nullptr;

    if (found == nullptr || found->kind->params != kind.params)
        throw Error(std::string(desc().name) + ": " + path + ": expected a component of kind " +
                    kind.name);
    return *found;
}

launch_software Machine::software(unsigned node) const
{
    launch_software software = launch_software_default();
    const machine_node_desc &of = desc().nodes[node];

    for (unsigned c = 0; c < of.ncomponents; c++) {
        const machine_component_desc &component = of.components[c];

        if (strcmp(component.kind->name, "software") != 0)
            continue;
        for (unsigned i = 0; launch_param(i, nullptr) != nullptr; i++)
            launch_software_set(&software, launch_param(i, nullptr), component.values[i].value);
    }
    return software;
}

} // namespace hubsim
