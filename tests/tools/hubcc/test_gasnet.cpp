/* Programs of GASNet as their authors build them: libraries by conduit and mode, Makefile
 * fragments, pkg-config. */
#include "tests/tools/hubcc/programs.h"

namespace
{

/* All ranks send a Short to the next one. */
const char *const ring = R"(
#include <gasnet.h>
int own_rank(void);
static int come;
static void take(gasnet_token_t token, gasnet_handlerarg_t value)
{
    (void)token;
    come = value;
}
int main(int argc, char **argv)
{
    gasnet_handlerentry_t table[] = { { 200, (gasneti_handler_fn)take } };
    gasnet_init(&argc, &argv);
    gasnet_attach(table, 1, GASNET_PAGESIZE, 0);
    gasnet_AMRequestShort1((gasnet_mynode() + 1) % gasnet_nodes(), 200, 7);
    GASNET_BLOCKUNTIL(come != 0);
    printf("%d: %d\n", own_rank(), come);
    gasnet_exit(0);
}
)";
const char *const rank = R"(
#include <gasnet.h>
#ifdef __cplusplus
extern "C"
#endif
int own_rank(void)
{
    return (int)gasnet_mynode();
}
)";
const char *const plain = "int own_rank(void);\nint own_rank(void) { return 0; }\n";
const char *const printed = "0: 7\n1: 7\n";

class Gasnet : public Programs
{
  protected:
    void SetUp() override
    {
        Programs::SetUp();
        write("ring.c", ring);
        write("rank.c", rank);
        write("plain.c", plain);
    }
    /** @param made a command that makes `prog` */
    void expect_ring(const std::string &made)
    {
        ASSERT_EQ(0, sh("rm -f prog && " + made)) << made << "\n" << errors;
        EXPECT_EQ("", errors);
        EXPECT_EQ(0, sh("hubrun -q ./prog >lines && sort lines")) << errors;
        EXPECT_EQ(printed, out);
    }
    void expect_refused(const std::string &command, const std::string &line)
    {
        EXPECT_NE(0, sh(command)) << command;
        EXPECT_TRUE(has(errors, line)) << command << "\n" << errors;
    }
};

TEST_F(Gasnet, LibrariesOfAllConduitsAndModesMayStayOnTheLine)
{
    for (const std::string mode : { "seq", "parsync", "par" }) {
        const std::string define = mode == "seq"   ? "-DGASNET_SEQ"
                                   : mode == "par" ? "-DGASNET_PAR"
                                                   : "-DGASNET_PARSYNC";

        expect_ring("hubcc -Wall -Wextra -Werror " + define +
                    " ring.c rank.c -o prog -lgasnet-ib-" + mode + " -lgasnet_tools-" + mode +
                    " -lm");
        expect_ring(
            "hubcc -c -ffunction-sections -fdata-sections " + define +
            " ring.c rank.c && hubcc -Wl,--gc-sections ring.o rank.o -o prog -lgasnet-some-" +
            mode);
    }
    expect_ring("hubcc -DGASNET_PAR -O2 -flto ring.c rank.c -o prog");
    expect_ring("cp rank.c rank.cpp && hubcc -DGASNET_PAR -c ring.c && "
                "hubc++ -Wall -Wextra -Werror -DGASNET_PAR -c rank.cpp && "
                "hubc++ ring.o rank.o -o prog -lgasnet-net-par");
}

TEST_F(Gasnet, ObjectsOfTwoModesDoNotLink)
{
    const std::string line = "hubsim: one object was compiled with GASNET_PAR, another with "
                             "GASNET_SEQ: expected the same "
                             "mode in all\n";

    ASSERT_EQ(0, sh("hubcc -DGASNET_SEQ -ffunction-sections -fdata-sections -c ring.c && "
                    "hubcc -DGASNET_PAR -ffunction-sections -fdata-sections -c rank.c && "
                    "cp rank.c cxx.cpp && hubc++ -DGASNET_PAR -c cxx.cpp && "
                    "ar rcs librank.a rank.o && hubcc -shared rank.o -o librank.so"))
        << errors;
    for (const char *others : { "rank.o", "librank.a", "-L. -lrank", "rank.o -Wl,--gc-sections",
                                "cxx.o", "rank.o -flto", "rank.o -O2 -Wl,-O1,--strip-all" })
        expect_refused(std::string("hubcc ring.o -o prog ") + others, line);
    expect_refused("hubc++ ring.o cxx.o -o prog", line);
    expect_refused("gcc ring.o rank.o -o prog $(hubcc -showme:link)", line);
    expect_refused("hubcc -DGASNET_PARSYNC -c rank.c -o rank.o && hubcc ring.o rank.o -o prog",
                   "compiled with GASNET_PARSYNC, another with GASNET_SEQ: expected the same mode");
    /* An archive's object that no one needs is not part of the program. */
    expect_ring("hubcc -DGASNET_SEQ rank.c ring.o -o prog librank.a");
}

TEST_F(Gasnet, ALibraryIsOfTheModeOfItsProgram)
{
    const std::string line =
        "hubsim: an object was compiled with GASNET_SEQ: expected GASNET_PARSYNC, "
        "as GASNet's library of mode parsync is linked\n";

    expect_refused("hubcc -DGASNET_SEQ ring.c rank.c -o prog -lgasnet-tca-parsync", line);
    expect_refused("hubcc -fPIC -DGASNET_SEQ -c ring.c rank.c && "
                   "gcc ring.o rank.o -o prog $(hubcc -showme:link) -lgasnet-tca-parsync",
                   line);
    expect_ring("gcc ring.o rank.o -o prog $(hubcc -showme:link) -lgasnet-tca-seq");
    /* The tools know no mode. */
    expect_ring("hubcc ring.o rank.o -o prog -lgasnet_tools-par");
}

/* As the public test programs ask for them: a segment for each, and a thread beside the first one.
 */
TEST_F(Gasnet, TestProgramsFindOneThreadThatIsTheirOwn)
{
    write("main.c", R"(
#include <gasnet.h>
#include <gasnet_tools.h>
#ifndef GASNET_SEQ
#ifndef TEST_USE_PRIMORDIAL_THREAD
#define TEST_USE_PRIMORDIAL_THREAD 0
#endif
#ifndef TEST_MAXTHREADS
#define TEST_MAXTHREADS (GASNETT_MAX_THREADS + TEST_USE_PRIMORDIAL_THREAD - 1)
#endif
#if TEST_MAXTHREADS * 65536 <= 0
#error a segment of nothing
#endif
#else
#define TEST_MAXTHREADS 1
#define TEST_USE_PRIMORDIAL_THREAD 1
#endif
int main(void)
{
    printf("%d of %d\n", TEST_USE_PRIMORDIAL_THREAD, TEST_MAXTHREADS);
    return 0;
}
)");
    for (const char *mode : { "SEQ", "PARSYNC", "PAR" }) {
        ASSERT_EQ(0, sh(std::string("hubcc -DGASNET_") + mode + " main.c -o prog")) << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << errors;
        EXPECT_EQ("1 of 1\n", out) << mode;
    }
}

TEST_F(Gasnet, ProgramsWithoutItLinkAsBefore)
{
    write("main.c", "#include <stdio.h>\nint own_rank(void);\n"
                    "int main(void) { printf(\"%d\\n\", own_rank()); }\n");
    ASSERT_EQ(0, sh("hubcc -Wl,--gc-sections main.c plain.c -o prog && hubrun -q -n 1 ./prog"))
        << errors;
    EXPECT_EQ("0\n", out);
    EXPECT_EQ(0, sh("nm prog | grep gasnet; true"));
    EXPECT_EQ("", out);
}

TEST_F(Gasnet, AFunctionThatIsMissingIsAnErrorOfTheLinkerByName)
{
    write("main.c", "#include <gasnet.h>\nvoid gasnet_future(void);\n"
                    "int main(void) { gasnet_future(); return 0; }\n");
    expect_refused("hubcc -DGASNET_SEQ main.c -o prog -lgasnet-net-seq",
                   "undefined reference to `gasnet_future'");
    write("main.c", "#include <gasnet.h>\nint main(void) { return 0; }\n");
    expect_refused(
        "hubcc main.c -o prog",
        "gasnet.h: expected one of GASNET_SEQ, GASNET_PARSYNC and GASNET_PAR to be defined");
}

/* From the build tree, and from a copy of it that lies elsewhere, as an installation does. */
TEST_F(Gasnet, MakefilesAndPkgConfigFindHowToBuild)
{
    write("Makefile", "include $(FRAGMENT)\n"
                      "prog: ring.o rank.o\n"
                      "\t@$(GASNET_LD) $(GASNET_LDFLAGS) -o $@ $^ $(GASNET_LIBS)\n"
                      "ring.o: ring.c\n"
                      "\t@$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNET_CFLAGS) -c $<\n"
                      "rank.o: rank.c\n"
                      "\t@$(GASNET_CXX) $(GASNET_CXXCPPFLAGS) $(GASNET_CXXFLAGS) -c $<\n");
    ASSERT_EQ(0,
              sh("mkdir moved && cp -rL $(dirname $(dirname $(command -v hubcc)))/include moved && "
                 "cp -rL $(dirname $(dirname $(command -v hubcc)))/lib moved && mkdir moved/bin && "
                 "cp -L $(command -v hubcc) $(command -v hubc++) moved/bin"))
        << errors;
    for (const std::string conduit : { "net", "tca", "ib" })
        for (const std::string mode : { "seq", "parsync", "par" }) {
            const std::string name = conduit + "-conduit/" + conduit + "-" + mode + ".mak",
                              module = "gasnet-" + conduit + "-" + mode;

            for (const char *prefix :
                 { "$(dirname $(dirname $(command -v hubcc)))", "$PWD/moved" }) {
                const std::string ask = std::string("PKG_CONFIG_PATH=") + prefix +
                                        "/lib/pkgconfig pkg-config " + module;

                for (const char *include : { "/include/", "/include/hubsim/" })
                    ASSERT_EQ(0, sh(std::string("make -pn FRAGMENT=") + prefix + include + name +
                                    " | grep -q \"^HUBSIM_BIN := $(readlink -f " + prefix +
                                    "/bin)$\""))
                        << name << prefix << include << errors;
                ASSERT_EQ(0, sh(ask + " --libs --cflags")) << errors;
                EXPECT_TRUE(has(out, "-l" + module)) << out;
                ASSERT_EQ(0,
                          sh("test $(readlink -f $(" + ask +
                             " --variable=GASNET_CC)) = $(readlink -f " + prefix + "/bin/hubcc)"))
                    << errors;
            }
        }
    expect_ring("make -s FRAGMENT=moved/include/tca-conduit/tca-parsync.mak prog");
    expect_ring("P='env PKG_CONFIG_PATH=moved/lib/pkgconfig pkg-config gasnet-ib-par' && "
                "$($P --variable=GASNET_CC) $($P --variable=GASNET_CPPFLAGS) ring.c rank.c -o prog "
                "$($P --variable=GASNET_LIBS)");
}

/* For programs of the tools alone, and behind the fragment of a conduit. */
TEST_F(Gasnet, TheToolsHaveFragmentsAndModulesToo)
{
    const std::string built = "$(dirname $(dirname $(command -v hubcc)))";

    write("tools.c", "#include <gasnet_tools.h>\n#include <stdio.h>\n"
                     "int main(void) { puts(GASNETI_THREADS_STR); return "
                     "gasnett_parse_int(\"7\", 0) != 7; }\n");
    write("Makefile", "include $(FRAGMENT)\n"
                      "prog: tools.o\n"
                      "\t@$(GASNETTOOLS_LD) $(GASNETTOOLS_LDFLAGS) -o $@ $^ $(GASNETTOOLS_LIBS)\n"
                      "tools.o: tools.c\n"
                      "\t@$(GASNETTOOLS_CC) $(GASNETTOOLS_CPPFLAGS) $(GASNETTOOLS_CFLAGS) -c $<\n");
    write("both.mak", "include $(PREFIX)/include/tca-conduit/tca-par.mak\n"
                      "include $(PREFIX)/include/tca-conduit/../gasnet_tools-par.mak\n"
                      "prog: ring.c rank.c\n"
                      "\t@$(GASNET_CC) $(GASNET_CPPFLAGS) $(GASNETTOOLS_CPPFLAGS) -o $@ $^ "
                      "$(GASNET_LIBS) $(GASNETTOOLS_LIBS)\n");
    for (const auto &[mode, threads] : { std::pair("seq", "SEQ"), std::pair("par", "PAR") }) {
        const std::string name = std::string("gasnet_tools-") + mode;
        const std::string expected = std::string("THREADMODEL=") + threads + "\n";
        const std::string ask =
            "P=\"env PKG_CONFIG_PATH=" + built + "/lib/pkgconfig pkg-config " + name + "\" && ";

        for (const std::string &made :
             { "make -s prog FRAGMENT=" + built + "/include/" + name + ".mak",
               "make -s prog FRAGMENT=" + built + "/include/hubsim/" + name + ".mak",
               ask + "$($P --variable=GASNETTOOLS_CC) $($P --cflags) tools.c -o prog $($P --libs)",
               ask + "gcc -fPIC -I" + built +
                   "/include/hubsim $($P --cflags) tools.c -o prog "
                   "$(hubcc -showme:link) $($P --libs)" }) {
            ASSERT_EQ(0, sh("rm -f prog tools.o && " + made)) << made << "\n" << errors;
            EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog")) << made << "\n" << errors;
            EXPECT_EQ(expected, out) << made;
        }
    }
    expect_ring("make -s -f both.mak prog PREFIX=" + built);
}

} // namespace
