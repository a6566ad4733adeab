/* A folder of configuration files that lives as long as a test, and small kinds to load into. */
#pragma once
#include <cstddef>
#include <vector>

#include "tests/folder.h"
#include "tests/tools/attempt.h"
#include "tools/load/machine.h"

struct box_config {
    uint64_t lanes, cost_ps, mode, ram_bytes, fast;
};

inline const machine_param *box_params()
{
    static const machine_param params[] = {
        { "link.lanes", "1", 1, 16, 8, offsetof(box_config, lanes), "lanes in use", nullptr },
        { "latency_ps", "ps", 0, 1000000, 500, offsetof(box_config, cost_ps), "one way", nullptr },
        { "mode", "choice", 0, 1, 0, offsetof(box_config, mode), "mapping", "uc|wc" },
        { "ram_bytes", "bytes", 4096, UINT64_C(1) << 40, 1 << 20, offsetof(box_config, ram_bytes),
          "memory", nullptr },
        { "firmware.fast", "choice", 0, 1, 1, offsetof(box_config, fast), "overlap", "off|on" },
        MACHINE_PARAM_END
    };
    return params;
}

inline const machine_kind *const *test_kinds()
{
    static const char *const box_ports[] = { "a", "b", nullptr };
    static machine_kind box = {}, hub = {};
    static const machine_kind *const kinds[] = { &box, &hub, nullptr };

    box.name = "box";
    hub.name = "hub.c";
    box.params = hub.params = box_params();
    box.config_bytes = hub.config_bytes = sizeof(box_config);
    box.ports = hub.ports = box_ports;
    return kinds;
}

class ConfigTest : public test::Folder
{
  protected:
    void SetUp() override
    {
        Folder::SetUp();
        for (const char *name : { "platforms", "machines", "hubs", "hosts" })
            std::filesystem::create_directory(folder + "/" + name);
        load_roots_add(&roots, folder.c_str());
        write("platforms/small.yaml", "components:\n"
                                      "  cpu: {kind: box}\n"
                                      "  hub: {kind: hub.c}\n"
                                      "links:\n"
                                      "  - {from: cpu.a, to: hub.a, length_mm: 100}\n");
    }
    void TearDown() override
    {
        load_machine_destroy(machine);
        Folder::TearDown();
    }
    int load(const std::string &text, std::vector<const char *> sets = {})
    {
        const std::string path = write("machines/m.yaml", text);
        load_options opt = {};

        opt.roots = &roots;
        opt.kinds = kinds;
        opt.platform = platform;
        opt.sets = sets.data();
        opt.nsets = static_cast<unsigned>(sets.size());
        load_machine_destroy(machine);
        machine = nullptr;
        err = {};
        return attempt(&err, [&] { machine = load_machine_create(path.c_str(), &opt); });
    }
    /** The message that loading leaves, without the name of the temporary folder. */
    std::string message(const std::string &text, std::vector<const char *> sets = {})
    {
        EXPECT_NE(SIM_OK, load(text, sets));
        EXPECT_EQ(nullptr, machine);
        return tidy();
    }
    std::string tidy() const
    {
        std::string text = err.text, prefix = folder + "/";

        for (size_t at; (at = text.find(prefix)) != std::string::npos;)
            text.erase(at, prefix.size());
        EXPECT_EQ(std::string::npos, text.find('\n'));
        return text;
    }
    const machine_value &value(unsigned node, unsigned component, unsigned row) const
    {
        return load_machine_desc(machine)->nodes[node].components[component].values[row];
    }

    load_roots roots = {};
    const char *platform = nullptr;
    const machine_kind *const *kinds = test_kinds();
    load_machine *machine = nullptr;
    sim_error err = {};
};

#define TOO_MANY                                                                                   \
    " nodes: expected 256 at most, as a simulation has address space for the memory of that many"

static const char TWO[] = "platform: small\n"
                          "nodes: 2\n"
                          "cables:\n"
                          "  - {from: node0.hub.b, to: node1.hub.b, length_mm: 3000}\n";
