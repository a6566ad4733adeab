/* A machine file as tests of software need it: of configs/machines, or a text. */
#ifndef TESTS_HOSTS_MACHINE_FILE_H
#define TESTS_HOSTS_MACHINE_FILE_H

#include "tests/hosts/cluster.h"
#include "tests/tools/attempt.h"

#include "tools/lab/run/software.h"
#include "tools/load/machine.h"

namespace test
{

class MachineFile
{
  public:
    /** @param text a name in configs/machines, or what a machine file says */
    explicit MachineFile(const std::string &text, const std::vector<const char *> &sets = {},
                         const std::vector<const char *> &faults = {})
    {
        const std::string path = std::string(CONFIGS) + "/machines/" + text + ".yaml";
        load_roots roots = {};
        load_options opt = {};

        load_roots_add(&roots, CONFIGS);
        opt.roots = &roots;
        opt.kinds = lab_kinds();
        opt.sets = sets.data();
        opt.nsets = (unsigned)sets.size();
        opt.faults = faults.data();
        opt.nfaults = (unsigned)faults.size();
        code = attempt(&err, [&] {
            machine_ = text.find('\n') == std::string::npos
                           ? load_machine_create(path.c_str(), &opt)
                           : load_machine_parse("test.yaml", text.data(), text.size(), &opt);
        });
        EXPECT_EQ(SIM_OK, code) << err.text;
    }
    ~MachineFile() { load_machine_destroy(machine_); }
    MachineFile(const MachineFile &) = delete;
    MachineFile &operator=(const MachineFile &) = delete;
    /** For a Cluster. */
    ClusterConfig cluster() const
    {
        ClusterConfig cfg;

        cfg.desc = load_machine_desc(machine_);
        return cfg;
    }
    const machine_desc *desc() const { return load_machine_desc(machine_); }
    int code;
    sim_error err = {};

  private:
    load_machine *machine_ = nullptr;
};

} // namespace test
#endif /* TESTS_HOSTS_MACHINE_FILE_H */
