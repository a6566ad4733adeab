/* Faults of a machine file, of a file of their own and of a command line. */
#include "config_test.h"

#include "tools/load/quantity.h"

namespace
{

struct fault_values {
    uint64_t rate, at_ps, for_ps, which;
};

const machine_kind *const *fault_kinds()
{
    static const machine_param rate[] = { { "rate", "1e-18", 0, UINT64_C(100000000000000000),
                                            UINT64_MAX, offsetof(fault_values, rate), "of bits",
                                            nullptr },
                                          MACHINE_PARAM_END };
    static const machine_param time[] = {
        { "at", "ps", 0, 1000000000, UINT64_MAX, offsetof(fault_values, at_ps), "begin", nullptr },
        { "for", "ps", 1, 1000000000, 1000, offsetof(fault_values, for_ps), "length", nullptr },
        { "which", "choice", 0, 1, 0, offsetof(fault_values, which), "which one", "this|that" },
        MACHINE_PARAM_END
    };
    static const machine_fault_kind faults[] = {
        { "rate", MACHINE_OF_PORT, rate, sizeof(fault_values), "wrong bits" },
        { "flap", MACHINE_OF_LINK, time, sizeof(fault_values), "nothing passes" },
        { "dead", MACHINE_OF_COMPONENT, time, sizeof(fault_values), "does nothing" },
        MACHINE_FAULT_END
    };
    static machine_kind box = *test_kinds()[0], hub = *test_kinds()[1];
    static const machine_kind *const kinds[] = { &box, &hub, nullptr };

    hub.faults = faults;
    return kinds;
}

class Faults : public ConfigTest
{
  protected:
    void SetUp() override
    {
        ConfigTest::SetUp();
        kinds = fault_kinds();
        std::filesystem::create_directory(folder + "/faults");
    }
    /** "1.hub.b rate 5" for each place. */
    std::vector<std::string> given() const
    {
        const machine_desc *desc = load_machine_desc(machine);
        std::vector<std::string> all;

        for (unsigned i = 0; i < desc->nfaults; i++) {
            const machine_fault_desc &f = desc->faults[i];
            std::string text = std::to_string(f.node) + "." + f.component;

            if (f.port != nullptr)
                text += std::string(".") + f.port;
            text += std::string(" ") + f.kind->name;
            for (unsigned k = 0; f.kind->params[k].key != nullptr; k++)
                text += " " + std::to_string(f.values[k]);
            all.push_back(text);
        }
        return all;
    }
    /** "link node0.hub.b (2): rate=1e-9" */
    std::vector<std::string> written() const
    {
        std::vector<std::string> all;

        load_machine_each_fault(
            machine,
            [](void *arg, const load_fault *f) {
                static_cast<std::vector<std::string> *>(arg)->push_back(
                    std::string(f->target) + " " + f->pattern + " (" + std::to_string(f->places) +
                    "): " + f->kind + " " + f->pairs);
            },
            &all);
        return all;
    }
    int with(std::vector<const char *> options)
    {
        const std::string path = write("machines/m.yaml", TWO);
        load_options opt = {};

        opt.roots = &roots;
        opt.kinds = kinds;
        opt.faults = options.data();
        opt.nfaults = static_cast<unsigned>(options.size());
        load_machine_destroy(machine);
        machine = nullptr;
        err = {};
        return attempt(&err, [&] { machine = load_machine_create(path.c_str(), &opt); });
    }
};

using Texts = std::vector<std::string>;

TEST_F(Faults, APortHasWhatItSendsAndALinkBothDirections)
{
    ASSERT_EQ(SIM_OK, load(std::string(TWO) + "faults:\n"
                                              "  - {port: node0.hub.b, rate: 1e-9}\n"
                                              "  - {link: node0.hub.b, rate: 2.5e-12}\n"))
        << err.text;
    EXPECT_EQ((Texts{ "0.hub.b rate 1000000000", "0.hub.b rate 2500000", "1.hub.b rate 2500000" }),
              given());
    EXPECT_EQ((Texts{ "port node0.hub.b (1): rate rate=1e-9",
                      "link node0.hub.b (2): rate rate=2.5e-12" }),
              written());
}

TEST_F(Faults, WhatConcernsALinkIsGivenOnce)
{
    ASSERT_EQ(SIM_OK, load(std::string(TWO) +
                           "faults: [{link: 'node*.hub.b', flap: {at: 10us, for: 1.5ns}}]\n"))
        << err.text;
    EXPECT_EQ((Texts{ "0.hub.b flap 10000000 1500 0" }), given());
    EXPECT_EQ((Texts{ "link node*.hub.b (1): flap at=10us for=1500ps" }), written());
}

TEST_F(Faults, APatternTakesWhatHasTheFault)
{
    ASSERT_EQ(SIM_OK,
              load(std::string(TWO) + "faults: [{link: '*', rate: 0.1}, {node: 1, dead: 1us}]\n"))
        << err.text;
    EXPECT_EQ((Texts{ "0.hub.a rate 100000000000000000", "1.hub.a rate 100000000000000000",
                      "0.hub.b rate 100000000000000000", "1.hub.b rate 100000000000000000",
                      "1.hub dead 1000000 1000 0" }),
              given());
}

TEST_F(Faults, AListIsAsManyFaults)
{
    ASSERT_EQ(SIM_OK, load(std::string(TWO) +
                           "faults: [{link: node0.hub.b, flap: [1us, {at: 2us, which: that}]}]\n"))
        << err.text;
    EXPECT_EQ((Texts{ "0.hub.b flap 1000000 1000 0", "0.hub.b flap 2000000 1000 1" }), given());
}

TEST_F(Faults, FilesAndSingleFaultsComeBehindTheMachines)
{
    write("faults/bad.yaml", "description: bad\nfaults: [{port: node1.hub.b, rate: 3e-18}]\n");
    ASSERT_EQ(SIM_OK, with({ "bad", "{port: node0.hub.b, rate: 4e-18}" })) << err.text;
    EXPECT_EQ((Texts{ "1.hub.b rate 3", "0.hub.b rate 4" }), given());
}

TEST_F(Faults, MessagesNameThePlaceAndWhatWasExpected)
{
    const std::string head = std::string(TWO) + "faults:\n  - {";
    const struct {
        const char *entry, *message;
    } cases[] = {
        { "link: node0.hub.c, rate: 1", "6:6: link = node0.hub.c: matches no port with a link, did "
                                        "you mean node0.hub.a?" },
        { "link: node0.hub, rate: 1", "6:6: link = node0.hub: a component: expected a port of it "
                                      "with a link, such as node0.hub.a" },
        { "port: node*.cpu, rate: 1", "6:6: port = node*.cpu: a component: expected a port of it "
                                      "with a link, such as node*.cpu.a" },
        { "node: 2, dead: 1us", "6:6: node = 2: expected nodes, 0 .. 1" },
        { "component: node0.hum, dead: 1us",
          "6:6: component = node0.hum: matches no component, did you mean node0.hub?" },
        { "rate: 1", "6:5: expected the key link, port, component or node" },
        { "link: node0.hub.b", "6:6: link = node0.hub.b: expected a fault beside it" },
        { "link: node0.hub.b, port: node0.hub.b, rate: 1",
          "6:25: port = node0.hub.b: expected one of link, port, component and node" },
        { "link: [a], rate: 1", "6:6: link: expected one pattern without spaces" },
        { "link: node0.hub.b, rat: 1e-9",
          "6:25: rat = 1e-9: unknown fault of a link, did you mean rate?" },
        { "link: node0.hub.b, dead: 1us", "6:25: dead = 1us: unknown fault of a link" },
        { "link: node0.hub.b, rate: 0.11",
          "6:25: rate = 0.11: expected a rate, 0 .. 1e-1, such as 1e-9" },
        { "link: node0.hub.b, rate: 1e-19",
          "6:25: rate = 1e-19: expected a rate, 0 .. 1e-1, such as 1e-9" },
        { "link: node0.hub.b, flap: {for: 1us}", "6:25: flap: expected the key at too: begin" },
        { "link: node0.hub.b, flap: {at: 1us, fro: 1us}",
          "6:41: fro = 1us: unknown key of flap, did you mean for?" },
        { "link: node0.hub.b, flap: {at: 12}",
          "6:32: at = 12: expected a time, 0 .. 1ms, such as 10us" },
        { "link: node0.hub.b, flap: {at: 1us, which: other}",
          "6:41: which = other: expected this or that" },
        { "link: node0.hub.b, flap: [[1us]]", "6:32: flap: expected a value or a mapping" },
    };

    for (const auto &c : cases)
        EXPECT_EQ(std::string("machines/m.yaml:") + c.message, message(head + c.entry + "}\n"));
    EXPECT_EQ("machines/m.yaml:5:1: faults = x: expected a list of faults",
              message(std::string(TWO) + "faults: x\n"));
    EXPECT_EQ("machines/m.yaml:5:10: x: expected a mapping such as {link: node0.hub.e, "
              "bit_error_rate: 1e-9}",
              message(std::string(TWO) + "faults: [x]\n"));
    ASSERT_NE(SIM_OK, with({ "{link: node0.hub.b, rate: x}" }));
    EXPECT_STREQ("--faults:1:21: rate = x: expected a rate, 0 .. 1e-1, such as 1e-9", err.text);
}

TEST(Quantity, DecimalsAreExactOrRefused)
{
    const struct {
        const char *text;
        bool good;
        uint64_t value;
    } cases[] = {
        { "1e-9", true, 1000000000 },
        { "0.000000001", true, 1000000000 },
        { "1E-18", true, 1 },
        { "10e-19", true, 1 },
        { "0", true, 0 },
        { "0e-90", true, 0 },
        { "1", true, UINT64_C(1000000000000000000) },
        { "18.446744073709551615", true, UINT64_MAX },
        { "18.446744073709551616", false, 0 },
        { "1e-19", false, 0 },
        { "1e99", false, 0 },
        { "1e999999999999", false, 0 },
        { "", false, 0 },
        { ".", false, 0 },
        { "1.", false, 0 },
        { "e-9", false, 0 },
        { "1e", false, 0 },
        { "-1", false, 0 },
        { "1e-9x", false, 0 },
        { "1.2.3", false, 0 },
    };

    for (const auto &c : cases) {
        uint64_t value = 0;

        EXPECT_EQ(c.good, load_decimal(c.text, nullptr, 18, &value)) << c.text;
        EXPECT_EQ(c.value, value) << c.text;
    }
}

TEST(Quantity, WhatIsPrintedIsReadAgain)
{
    const machine_param rate = { "r", "1e-18", 0, UINT64_MAX, 0, 0, "", nullptr };
    const machine_param time = { "t", "ps", 0, UINT64_MAX, 0, 0, "", nullptr };
    char text[64];

    for (uint64_t value : { UINT64_C(0), UINT64_C(1), UINT64_C(25), UINT64_C(1500), UINT64_C(12345),
                            UINT64_C(1000000), UINT64_C(1000000000000), UINT64_MAX }) {
        for (const machine_param *p : { &rate, &time }) {
            uint64_t again = 77;

            EXPECT_TRUE(
                load_quantity_parse(p, load_quantity_print(p, value, text, sizeof(text)), &again))
                << text;
            EXPECT_EQ(value, again) << text;
        }
    }
    EXPECT_STREQ("2.5e-17", load_quantity_print(&rate, 25, text, sizeof(text)));
    EXPECT_STREQ("1ms", load_quantity_print(&time, 1000000000, text, sizeof(text)));
}

} // namespace
