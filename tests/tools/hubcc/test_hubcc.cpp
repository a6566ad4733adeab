/* Programs as their authors build and run them: hubcc, then hubrun. */
#include "tests/tools/hubcc/programs.h"

namespace
{

const char *const globals = R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int counter = 5;
int size_of_world(void);
int main(int argc, char **argv)
{
    static int statics;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i <= rank; i++)
        counter++, statics++;
    MPI_Barrier(MPI_COMM_WORLD);
    printf("rank %d of %d: %d %d %s\n", rank, size_of_world(), counter, statics, argv[1]);
    MPI_Finalize();
    return rank == 2 && strcmp(argv[1], "fail") == 0 ? 7 : 0;
}
)";
const char *const world = R"(
#include <mpi.h>
int size_of_world(void)
{
    int n;

    MPI_Comm_size(MPI_COMM_WORLD, &n);
    return n;
}
)";

TEST_F(Programs, SeveralSourcesAndSeparateObjectsMakeTheSameProgram)
{
    write("main.c", globals);
    write("world.c", world);
    ASSERT_EQ(0, sh("hubcc -std=c11 -O2 -Wall -Werror main.c world.c -o one -ltca -lmpi"))
        << errors;
    ASSERT_EQ(0, sh("hubcc -O1 -c main.c && hubcc -g -c world.c && hubcc main.o world.o -o two"))
        << errors;
    ASSERT_EQ(0, sh("ar rcs liball.a main.o world.o && hubcc liball.a -o three")) << errors;
    for (const char *program : { "one", "two", "three" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -n 3 --mpi net -m ring4 ./") + program + " x -n 9"))
            << errors;
        EXPECT_EQ("rank 0 of 3: 6 1 x\nrank 1 of 3: 7 2 x\nrank 2 of 3: 8 3 x\n", out);
        EXPECT_TRUE(begins(errors, "hubrun: 3 ranks ended well at "));
    }
    EXPECT_EQ(0, sh("hubrun -n 1 --mpi net ./one")) << errors;
    EXPECT_TRUE(begins(errors, "hubrun: 1 rank ended well at "));
}

/* As nvcc does, which knows the calls of CUDA without a header. */
TEST_F(Programs, CodeOfTheHostMayBeInAFileOfCuda)
{
    write("host.cu", "#include <cstdio>\n"
                     "extern \"C\" int devices(void);\n"
                     "int main() { std::printf(\"%d\\n\", devices()); }\n"
                     "extern \"C\" int devices(void) {\n"
                     "    int n = 0;\n"
                     "    return cudaGetDeviceCount(&n) == cudaSuccess ? n : -1;\n"
                     "}\n");
    write("wrong.cu", "int main() { return none; }\n");
    write("kernel.cu", "static __device__ float half(float x) { return x / 2; }\n"
                       "__global__ void twice(float *x) { x[threadIdx.x] *= 2; }\n");
    for (const char *compiler : { "hubcc", "hubc++" }) {
        ASSERT_EQ(0, sh(std::string(compiler) + " -O2 -Wall -Werror host.cu -o one && " + compiler +
                        " -c host.cu && hubc++ host.o -o two"))
            << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 1 ./one && hubrun -q -n 1 ./two")) << errors;
        EXPECT_EQ("4\n4\n", out);
        EXPECT_NE(0, sh(std::string(compiler) + " -c kernel.cu"));
        EXPECT_TRUE(has(errors, "kernel.cu:2:1: error: ")) << errors;
        EXPECT_TRUE(has(errors, std::string(compiler) + ": kernel.cu: __device__ is for code of a "
                                                        "GPU, which is not compiled: expected "))
            << errors;
        EXPECT_NE(0, sh(std::string(compiler) + " -c wrong.cu"));
        EXPECT_FALSE(has(errors, "GPU")) << errors;
    }
}

/* As CUDA's own headers have it for C++. */
TEST_F(Programs, MemoryOfCudaMayBeOfAnyType)
{
    write("typed.cu", R"(
#include <cstdio>
int main()
{
    float *device = nullptr;
    const double *managed = nullptr;
    char *host = nullptr;
    void *plain = nullptr;
    int failed = cudaMalloc(&device, 64) != cudaSuccess;

    failed += cudaMallocManaged(&managed, 64) != cudaSuccess;
    failed += cudaMallocHost(&host, 64) != cudaSuccess;
    failed += cudaMallocHost(&plain, 64) != cudaSuccess;
    failed += cudaHostAlloc(&host, 64, cudaHostAllocDefault) != cudaSuccess;
    failed += cudaMemcpy(device, host, 64, cudaMemcpyDefault) != cudaSuccess;
    std::printf("%d %d\n", failed, device && managed && host && plain);
}
)");
    ASSERT_EQ(0, sh("hubcc -O2 -Wall -Werror typed.cu -o typed && hubrun -q -n 1 ./typed"))
        << errors;
    EXPECT_EQ("0 1\n", out);
    write("as_c.cpp", "extern \"C\" {\n#include <cuda_runtime.h>\n}\n"
                      "int main() { float *p; return cudaMalloc(&p, 4) != cudaSuccess; }\n");
    EXPECT_EQ(0, sh("hubc++ -Wall -Werror as_c.cpp -o as_c && hubrun -q -n 1 ./as_c")) << errors;
}

/* Its names are gdrcopy's, old and new; memory that is not there is an error of the program. */
TEST_F(Programs, GpuMemoryMayBeMapped)
{
    write("mapped.c", R"(
#include <cuda_runtime.h>
#include <gdrapi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    double x = 2.5, y = 0;
    void *memory, *at;
    gdr_t g = gdr_open();
    gdr_mh_t mh;

    (void)argv;
    if (g == NULL || cudaMalloc(&memory, 64) != cudaSuccess ||
        gdr_pin_buffer(g, (unsigned long)memory, 64, 0, 0, &mh) != 0 ||
        gdr_map(g, mh, &at, 64) != 0)
        return 1;
    gdr_copy_to_mapping(mh, at, argc == 1 ? &x : (double *)16, sizeof(x));
    gdr_copy_from_bar(&y, at, sizeof(y));
    printf("%g\n", y);
    return gdr_close(g);
}
)");
    ASSERT_EQ(0, sh("hubcc -O2 -Wall -Wextra -Werror mapped.c -o mapped -lgdrapi -lcudart"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./mapped")) << errors;
    EXPECT_EQ("2.5\n", out);
    if (test::SANITIZED) /* which takes faults for itself */
        return;
    EXPECT_NE(0, sh("hubrun -q -n 1 ./mapped wild"));
    EXPECT_TRUE(has(errors, "rank 0 on node 0 was ended by signal 11")) << errors;
}

/* Its function is the program's own code, on a stack of its own. */
TEST_F(Programs, AKernelsFunctionThatCrashesEndsItsRank)
{
    write("crash.cu", R"(
#include <hub-kernel.h>
static void run(void *arg)
{
    *static_cast<volatile int *>(arg) = 1;
}
int main(int argc, char **)
{
    int *memory;
    hub_kernel kernel = {};

    if (cudaMalloc(&memory, 64) != cudaSuccess)
        return 1;
    kernel.run = run;
    kernel.arg = argc == 1 ? memory : reinterpret_cast<int *>(16);
    hubKernel(&kernel, nullptr);
    cudaDeviceSynchronize();
    return *memory == 1 ? 0 : 2;
}
)");
    ASSERT_EQ(0, sh("hubcc -O2 -g -Wall -Werror crash.cu -o crash")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./crash")) << errors;
    if (test::SANITIZED)
        return;
    EXPECT_EQ(139, sh("hubrun -q -n 1 ./crash wild"));
    EXPECT_TRUE(has(errors, "memory access fault at run (crash.cu:5)") ||
                has(errors, "memory access fault at crash"))
        << errors;
}

/* Nested, quoted, without a line's end; a file that is not there is left to the compiler. */
TEST_F(Programs, ArgumentsMayStandInFiles)
{
    write("a file.cu", "#include <cstdio>\n"
                       "int main() { return std::printf(\"%s\\n\", TEXT) < 0; }\n");
    write("inner", "-Wall\t-Werror\n\n'a file.cu'");
    write("outer", "@inner \"-DTEXT=\\\"two\"' words\\\"'\n-c -o \"one\n.o\"\n");
    write("empty", "");
    write("itself", "@itself");
    write("open", "-DTEXT='\"open\"' 'a file.cu");
    ASSERT_EQ(0, sh("hubcc @outer @empty && hubc++ one*.o -o one && hubrun -q -n 1 ./one"))
        << errors;
    EXPECT_EQ("two words\n", out);
    EXPECT_EQ(2, sh("hubcc @itself"));
    EXPECT_EQ("hubcc: @itself: expected a file that does not name itself\n", errors);
    EXPECT_EQ(0, sh("hubcc @open -o two && hubrun -q -n 1 ./two")) << errors;
    EXPECT_EQ("open\n", out);
    EXPECT_EQ(1, sh("hubcc @nothing"));
    EXPECT_TRUE(has(errors, "@nothing")) << errors;
}

/* By the names of files, as with nvcc. The compiler of C++ takes all as that. */
TEST_F(Programs, CBesideOtherLanguagesStaysC)
{
    const std::string c = "#include <stdio.h>\n"
                          "#include <stdlib.h>\n"
                          "static const int cudaMalloc = 1; /* there is no header of CUDA */\n"
                          "int other(void);\n"
                          "int main(void)\n"
                          "{\n"
                          "    int *new = malloc(sizeof(*new));\n"
                          "\n"
                          "    *new = cudaMalloc + other();\n"
                          "    return printf(\"%d\\n\", *new) < 0;\n"
                          "}\n";

    write("main.c", c);
    write("other.cu", "extern \"C\" int other() { int n; cudaGetDeviceCount(&n); return n; }\n");
    write("other.cpp", "extern \"C\" int other() { auto n = 6; return n; }\n");
    ASSERT_EQ(0, sh("hubcc -E main.c -o main.i && grep -q 'int main' main.i")) << errors;
    for (const char *files : { "main.c other.cu", "other.cu main.c", "main.i other.cu" }) {
        ASSERT_EQ(0, sh(std::string("hubcc -Wall -Werror ") + files + " -o one")) << errors;
        EXPECT_EQ(0, sh("hubrun -q -n 1 ./one")) << errors;
        EXPECT_EQ("5\n", out) << files;
    }
    ASSERT_EQ(0, sh("hubcc -O2 -Wall -Werror main.c other.cpp -o one")) << errors;
    EXPECT_EQ(0, sh("hubcc -Wall -Werror -c main.c other.cu && hubc++ main.o other.o -o two"))
        << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./one && hubrun -q -n 1 ./two")) << errors;
    EXPECT_EQ("7\n5\n", out);
    EXPECT_NE(0, sh("hubc++ main.c other.cpp -o one"));
    EXPECT_NE(0, sh("hubcc -x c++ main.c -x none other.cu -o one")) << "as it is asked for";
    EXPECT_EQ(0, sh("hubcc other.cu -DFILE=main.cu -omain.cu -c && test -f main.cu")) << errors;
}

TEST_F(Programs, SharedLibrariesOfAProgramAreEachRanksOwn)
{
    write("main.c", R"(
#include <mpi.h>
#include <stdio.h>
int inner(int by);
int outer(int by);
int main(int argc, char **argv)
{
    int rank, sum;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    inner(rank);
    MPI_Barrier(MPI_COMM_WORLD);
    sum = inner(1);
    printf("%d %d\n", sum, outer(rank));
    return MPI_Finalize();
}
)");
    write("inner.c", "static int sum; int inner(int by) { return sum += by; }\n");
    write("outer.cpp", R"(
#include <vector>
extern "C" int inner(int by);
static std::vector<int> all;
extern "C" int outer(int by)
{
    all.push_back(inner(by));
    return all.back() * 10 + static_cast<int>(all.size());
}
)");
    /* As libtool and CMake make them; outer brings inner along. */
    ASSERT_EQ(
        0, sh("mkdir -p sub/.libs && hubcc -O1 -flto -fPIC -c inner.c && "
              "hubcc -shared -flto inner.o -Wl,-soname -Wl,libinner.so.1 -o sub/libinner.so.1 && "
              "ln -s libinner.so.1 sub/libinner.so && "
              "hubc++ -shared -fPIC -flto outer.cpp -Lsub -linner -lm -o libouter.so"))
        << errors;
    EXPECT_EQ("", errors);
    ASSERT_EQ(0, sh("hubcc main.c -o one -L. -louter -Wl,-rpath,. && rm -f inner.o && "
                    "hubcc main.c -o sub/.libs/two libouter.so sub/libinner.so.1 && "
                    "printf '#!/bin/sh\nexec false\n' >sub/two"))
        << errors;
    /* Its run path has more folders than that of hubrun. */
    EXPECT_EQ(0, sh("./one")) << errors;
    EXPECT_EQ("1 11\n", out);
    for (const char *program : { "one", "sub/two" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 3 --mpi net -m ring4 ./") + program)) << errors;
        EXPECT_EQ("1 11\n2 31\n3 51\n", out);
    }
}

TEST_F(Programs, AMakefileNeedsOnlyTheCompilersName)
{
    write("main.c", globals);
    write("world.c", world);
    write("Makefile", "prog: main.o world.o\n\t$(CC) $(CFLAGS) $^ -o $@\n");
    ASSERT_EQ(0, sh("make -s CC=hubcc CFLAGS=-O2")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 1 ./prog y"));
    EXPECT_EQ("rank 0 of 1: 6 1 y\n", out);
    EXPECT_EQ("", errors);
}

TEST_F(Programs, TheStatusIsThatOfTheRankThatFailed)
{
    write("main.c", globals);
    write("world.c", world);
    ASSERT_EQ(0, sh("hubcc main.c world.c -o prog")) << errors;
    EXPECT_EQ(7, sh("hubrun --label -n 4 --mpi net -m ring4 ./prog fail"));
    EXPECT_TRUE(begins(out, "0: rank 0 of 4: 6 1 fail\n1: rank 1"));
    EXPECT_TRUE(begins(errors, "hubrun: rank 2 ended with status 7 at "));
}

TEST_F(Programs, ARankThatDiesIsNamedBeforeThoseThatWaitForIt)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 1 && argv[1][0] == 'a')
        abort();
    if (rank == 1 && argv[1][0] == 'c')
        *(volatile int *)8 = 1;
    if (rank != 1 || argv[1][0] != 'r')
        MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(134, sh("hubrun -n 3 --mpi net -m ring4 ./prog abort"));
    EXPECT_TRUE(has(errors, "hubrun: rank 1 on node 1 was ended by signal 6 (Aborted) at "));
    EXPECT_EQ(errors.find("was ended by"), errors.rfind("was ended by")) << errors;
    EXPECT_TRUE(has(errors, " us; 2 of 3 have not ended; rank 0 waits for rank 1, "
                            "which has ended\n"))
        << "the last line repeats none: " << errors;
    EXPECT_FALSE(has(errors, "--check"));
    if (!test::SANITIZED) { /* which takes faults for itself */
        EXPECT_EQ(139, sh("hubrun -n 3 -m ring4 ./prog crash"));
        EXPECT_TRUE(has(
            errors, "hubrun: rank 1 on node 1 was ended by signal 11 (Segmentation fault) at "));
    }
    /* Which call a rank has left out, none of the lines knows. */
    EXPECT_EQ(1, sh("hubrun -n 3 -m ring4 ./prog return"));
    EXPECT_TRUE(has(errors, "hubrun: --check mpi finds calls that do not fit together, and their "
                            "places\nhubrun: nothing is left"));
    EXPECT_EQ(1, sh("hubrun -n 3 -m ring4 --check mpi ./prog return"));
    EXPECT_TRUE(has(errors, ": MPI_Finalize at prog+0x"));
    EXPECT_TRUE(has(errors, ", but MPI_Barrier at prog+0x"));
    EXPECT_FALSE(has(errors, "--check mpi"));
    EXPECT_EQ(1, sh("hubrun -n 3 -m ring4 --mpi peach2 --max-time 210us ./prog x"));
    EXPECT_TRUE(has(errors, ": in MPI_Init, waiting for ") && has(errors, "the time limit "));
    EXPECT_FALSE(has(errors, "--check mpi")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 3 -m ring4 ./prog x")) << errors;
}

/* What each waits for says it all: the check would print it again. */
TEST_F(Programs, ADeadlockOfMessagesComesWithoutAdvice)
{
    write("prog.c", R"(
#include <mpi.h>
int main(int argc, char **argv) {
    int rank, n;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Recv(&n, 1, MPI_INT, !rank, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(1, sh("hubrun -n 2 ./prog"));
    EXPECT_TRUE(has(errors, "deadlock: rank 0 waits for rank 1, rank 1 for rank 0\n")) << errors;
    EXPECT_FALSE(has(errors, "--check mpi")) << errors;
}

TEST_F(Programs, CxxHasItsOwnStreamsContainersAndExceptions)
{
    write("prog.cpp", R"(
#include <iostream>
#include <mpi.h>
#include <stdexcept>
#include <vector>
struct Last {
    std::vector<int> v{ 1, 2, 3 };
    ~Last() { std::cout << "destroyed " << v.size() << std::endl; }
};
static Last last;
int main(int argc, char **argv)
{
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rank; i++)
        last.v.push_back(i);
    try {
        throw std::runtime_error("thrown");
    } catch (const std::exception &e) {
        std::cout << e.what() << ' ' << rank << ' ' << 0.5 * rank << std::endl;
    }
    MPI_Finalize();
}
)");
    ASSERT_EQ(0, sh("hubcc -O1 prog.cpp -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net ./prog"));
    EXPECT_EQ("thrown 0 0\nthrown 1 0.5\ndestroyed 3\ndestroyed 4\n", out);
    if (sh("command -v clang++-14") != 0)
        return;
    ASSERT_EQ(0, sh("HUBCC_CXX=clang++-14 hubc++ -O1 prog.cpp -o other")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net ./other"));
    EXPECT_EQ("thrown 0 0\nthrown 1 0.5\ndestroyed 3\ndestroyed 4\n", out);
}

TEST_F(Programs, WhatIsRandomIsEachRanksOwnAndTheSameInEachRun)
{
    std::string first;

    write("prog.cpp", R"(
#include <iostream>
#include <random>
#include <sys/random.h>
int main()
{
    std::random_device device;
    unsigned long long kernel;

    std::cout << device() << ' ' << device() << ' ';
    std::cout << getrandom(&kernel, sizeof(kernel), 0) << ' ' << kernel << std::endl;
}
)");
    ASSERT_EQ(0, sh("hubc++ prog.cpp -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog"));
    first = out;
    EXPECT_EQ(0, sh("hubrun -q -n 2 ./prog"));
    EXPECT_EQ(first, out);
    EXPECT_NE(out.substr(0, out.find('\n') + 1), out.substr(out.find('\n') + 1));
}

TEST_F(Programs, AtexitRunsInReverseForEachRank)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static int rank;
static void first(void) { printf("first of %d\n", rank); }
static void second(void) { printf("second of %d\n", rank); }
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    atexit(second);
    atexit(first);
    MPI_Finalize();
    if (rank == 1)
        exit(0);
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 2 ./prog"));
    EXPECT_EQ("first of 0\nsecond of 0\nfirst of 1\nsecond of 1\n", out);
}

TEST_F(Programs, OnExitHearsTheStatusOfItsOwnRank)
{
    write("prog.c", R"(
#define _DEFAULT_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static void ends(int code, void *name) { printf("%s with %d\n", (char *)name, code); }
int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    on_exit(ends, rank == 0 ? "a" : "b");
    MPI_Finalize();
    exit(rank == 0 ? 0 : 3);
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(3, sh("hubrun -n 2 ./prog"));
    EXPECT_EQ("a with 0\nb with 3\n", out);
}

TEST_F(Programs, RandAndStrtokAreEachRanksOwnWithLibcsSequence)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
    char text[] = "a b c";
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rank; i++)
        rand();
    strtok(text, " ");
    MPI_Barrier(MPI_COMM_WORLD); /* the others come between */
    printf("%d %s\n", rand(), strtok(NULL, " "));
    srand(1);
    printf("%d\n", rand());
    MPI_Finalize();
    return 0;
}
)");
    std::string first = std::to_string(rand()), second = std::to_string(rand());

    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 2 ./prog"));
    EXPECT_EQ(first + " b\n" + first + "\n" + second + " b\n" + first + "\n", out);
}

TEST_F(Programs, AMissingFunctionIsALinkErrorByName)
{
    write("prog.c", "int MPI_Win_create_nothing(void);\n"
                    "int main(void) { return MPI_Win_create_nothing(); }\n");
    EXPECT_NE(0, sh("hubcc prog.c -o prog"));
    EXPECT_TRUE(has(errors, "MPI_Win_create_nothing"));
    EXPECT_FALSE(std::filesystem::exists(folder + "/prog"));
}

TEST_F(Programs, WrongArgumentsAreOneLine)
{
    write("main.c", "int main(void) { return 0; }\n");
    ASSERT_EQ(0, sh("hubcc main.c -o prog")) << errors;
    EXPECT_EQ(2, sh("hubrun --max-time 3x ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: --max-time 3x: expected a number and ps, ns, us, ms or s"));
    EXPECT_EQ(2, sh("hubrun -n 0 ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: -n 0: expected 1 to "));
    EXPECT_EQ(2, sh("hubrun -ppn 0 ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: -ppn 0: expected 1 to "));
    for (const char *option : { "--machine ", "--place ", "--mpi ", "--algorithm ", "--out " })
        expect_no_empty_word(option);
    EXPECT_EQ(1, sh("hubrun --place block:99999999999999999999 ./prog"));
    EXPECT_EQ("hubrun: --place block:99999999999999999999: expected block:N, N from 1\n", errors);
    EXPECT_EQ(1, sh("hubrun --profile -n 2 ./nothing"));
    EXPECT_EQ("hubrun: ./nothing: cannot read the program: No such file or directory\n", errors);
    EXPECT_EQ(1, sh("hubrun -n 2 --place 0,2 ./prog"));
    EXPECT_EQ("hubrun: --place 0,2: rank 1: expected a node from 0 to 1, or the word block, "
              "block:N or cyclic\n",
              errors);
    EXPECT_EQ(1, sh("hubrun -n 2 --place 0 ./prog"));
    EXPECT_EQ("hubrun: --place 0: 1 node: expected one for each of 2 ranks, with commas between "
              "them\n",
              errors);
    EXPECT_EQ(1, sh("hubrun ./main.c"));
    EXPECT_TRUE(begins(errors, "hubrun: ./main.c: cannot load: "));
    EXPECT_TRUE(has(errors, ": expected a program made by hubcc\n"));
    EXPECT_EQ(1, sh("hubrun --mpi net,eager_bytes=x ./prog"));
    EXPECT_EQ("hubrun: MPI: eager_bytes = x: expected a whole number, 0 .. 1073741824 bytes (or "
              "KiB, MiB, GiB)\n",
              errors);
    EXPECT_EQ(1, sh("hubrun --mpi library=" + std::string(200, 'x') + " ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: MPI: library = " + std::string(200, 'x') +
                                   ": not found in mpi/: "));
    EXPECT_EQ(1, sh("hubrun -m nowhere ./prog"));
    EXPECT_TRUE(begins(errors, "hubrun: "));
}

TEST_F(Programs, PlacesDecideWhoIsNear)
{
    write("prog.c", R"(
#include <mpi.h>
#include <stdio.h>
int main(int argc, char **argv)
{
    int rank, token = 0, from;
    double t;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    t = MPI_Wtime();
    for (int i = 0; i < 10; i++)
        MPI_Sendrecv(&rank, sizeof(rank), MPI_BYTE, 1 - rank, 1, &from, sizeof(from), MPI_BYTE,
                     1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    t = MPI_Wtime() - t;
    if (rank == 0)
        printf("%s %d\n", t * 1e6 < 10 * 2.5 ? "near" : "far", from + token);
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net ./prog")) << errors;
    EXPECT_EQ("far 1\n", out);
    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net --place 1,1 ./prog")) << errors;
    EXPECT_EQ("near 1\n", out);
    EXPECT_EQ(0, sh("hubrun -n 2 --mpi net --place block -m one-node ./prog")) << errors;
    EXPECT_EQ("near 1\n", out);
}

TEST_F(Programs, FingerprintsTellRunsApartAndAreOnlyPrintedOnDemand)
{
    std::string first;

    write("prog.c", R"(
#include <mpi.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    char byte;

    MPI_Init(&argc, &argv);
    byte = (char)atoi(argv[1]);
    MPI_Bcast(&byte, 1, MPI_CHAR, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q --fingerprint ./prog 1"));
    EXPECT_TRUE(begins(errors, "fingerprint visible=0x"));
    first = errors;
    EXPECT_EQ(0, sh("hubrun -q --fingerprint ./prog 1"));
    EXPECT_EQ(first, errors);
    EXPECT_EQ(0, sh("hubrun -q --fingerprint ./prog 2"));
    EXPECT_NE(first, errors);
    EXPECT_EQ(0, sh("hubrun -q ./prog 1"));
    EXPECT_EQ("", errors);
}

TEST_F(Programs, StartedByItselfAProgramIsOneRankAndScriptsOfMpirunWork)
{
    write("prog.c", R"(
#include <mpi.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
int main(int argc, char **argv)
{
    int rank, size, length, n = 0;
    char name[MPI_MAX_PROCESSOR_NAME];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_processor_name(name, &length);
    if (scanf("%d", &n) != 1)
        n = -1;
#ifndef _OPENMP
    n = -2;
#endif
#pragma omp parallel
    printf("%d of %d on %s %s %s %d %d\n", rank, size, name, argv[argc - 1], getenv("OWN"), n,
           omp_get_max_threads());
    MPI_Finalize();
    return rank + 3;
}
)");
    ASSERT_EQ(0, sh("hubcc -Wall -Werror -fopenmp prog.c -o prog -lm -lgomp")) << errors;
    EXPECT_EQ("hubcc: -fopenmp: a rank is one thread, directives are left out\n", errors);
    EXPECT_EQ(3, sh("echo 42 | OWN=set ./prog 'a b'")) << errors;
    EXPECT_EQ("0 of 1 on node0 a b set 42 1\n", out);
    EXPECT_EQ(3, sh("mkdir sub; echo 7 | hubrun -np 4 -ppn 2 -m ring4 -genv OWN x=y -bind-to core "
                    "--mca btl self -wdir sub --hostfile hosts -q ../prog -np >lines; code=$?; "
                    "sort lines; exit $code"));
    EXPECT_EQ("0 of 4 on node0 -np x=y 7 1\n1 of 4 on node0 -np x=y -1 1\n"
              "2 of 4 on node1 -np x=y -1 1\n3 of 4 on node1 -np x=y -1 1\n",
              out);
    EXPECT_TRUE(begins(
        errors, "hubrun: --hostfile hosts: not used: -m names the machine, --place the nodes\n"));
    EXPECT_EQ(0, sh("hubrun -H a,b -np 1 ./prog x >/dev/null || test $? = 3"));
    EXPECT_TRUE(begins(errors, "hubrun: -H a,b: not used: "));
    EXPECT_EQ(0, sh("gcc $(hubcc -showme:compile) prog.c -o other $(hubcc -showme:link)"))
        << errors;
    EXPECT_EQ(3, sh("./other x; cd sub && PATH=..:$PATH hubrun -q -n 1 other x")) << errors;
    EXPECT_EQ(0, sh("cp prog.c text && hubcc -x c text -o named")) << errors;
    EXPECT_EQ(0, sh("hubcc -show prog.c && hubcc -compile-info && hubcc -link-info"));
    EXPECT_TRUE(begins(out, "gcc -fPIC -I/"));
}

TEST_F(Programs, TheMathematicalLibraryIsLinkedAsOnClusters)
{
    write("prog.c", "#include <math.h>\n"
                    "#include <stdio.h>\n"
                    "int main(int argc, char **argv) {\n"
                    "    printf(\"%.6f\\n\", sin(argc) + argv[0][0] * 0);\n"
                    "    return 0;\n"
                    "}\n");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog && "
                    "gcc $(hubcc -showme:compile) prog.c -o other $(hubcc -showme:link)"))
        << errors;
    for (const char *prog : { "./prog", "./other" }) {
        EXPECT_EQ(0, sh(std::string("hubrun -q -n 1 ") + prog)) << errors;
        EXPECT_EQ("0.841471\n", out) << prog;
    }
}

/* As LULESH has it: the variables of CMake before 3.9, and OpenMP. */
TEST_F(Programs, CMakesOldVariablesNeedTheCompilerItself)
{
    write("CMakeLists.txt", "cmake_minimum_required(VERSION 3.10)\n"
                            "project(old CXX)\n"
                            "find_package(MPI REQUIRED)\n"
                            "find_package(OpenMP REQUIRED)\n"
                            "set(CMAKE_CXX_FLAGS \"${CMAKE_CXX_FLAGS} ${OpenMP_CXX_FLAGS}\")\n"
                            "include_directories(${MPI_CXX_INCLUDE_PATH})\n"
                            "add_executable(old old.cpp)\n"
                            "target_link_libraries(old ${MPI_CXX_LIBRARIES})\n"
                            "add_executable(new EXCLUDE_FROM_ALL old.cpp)\n"
                            "target_link_libraries(new MPI::MPI_CXX)\n");
    write("old.cpp", "#include <iostream>\n"
                     "#include <mpi.h>\n"
                     "int main(int argc, char **argv) {\n"
                     "    int rank;\n"
                     "    MPI_Init(&argc, &argv);\n"
                     "    MPI_Comm_rank(MPI_COMM_WORLD, &rank);\n"
                     "    std::cout << rank << std::endl;\n"
                     "    return MPI_Finalize();\n"
                     "}\n");
    ASSERT_EQ(0, sh("cmake -B wrapper -DMPI_CXX_COMPILER=hubc++ "
                    "-DMPIEXEC_EXECUTABLE=$(command -v hubrun) && "
                    "$(sed -n 's/^MPIEXEC_EXECUTABLE:.*=//p' wrapper/CMakeCache.txt) --help"))
        << out << errors;
    EXPECT_NE(0, sh("cmake --build wrapper"));
    EXPECT_NE(std::string::npos, (out + errors).find("expected -DCMAKE_CXX_COMPILER=hubc++"))
        << out << errors;
    EXPECT_EQ(0, sh("cmake --build wrapper --target new && hubrun -q -n 2 --mpi net wrapper/new"))
        << out << errors;
    EXPECT_TRUE(has(out, "0\n1\n"));
    ASSERT_EQ(0, sh("cmake -B compiler -DCMAKE_CXX_COMPILER=hubc++ && cmake --build compiler"))
        << out << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 2 --mpi net compiler/old")) << errors;
    EXPECT_EQ("0\n1\n", out);
}

TEST_F(Programs, AProfileCountsCallsBytesTimeAndPairs)
{
    write("prog.c", R"(
#include <mpi.h>
int main(int argc, char **argv)
{
    int me, n;
    double a[64] = { 0 }, b[64];

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    for (int i = 0; i < 3; i++)
        MPI_Sendrecv(a, 64, MPI_DOUBLE, (me + 1) % n, 1, b, 64, MPI_DOUBLE, (me + n - 1) % n, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me == 0)
        MPI_Send(a, 10, MPI_DOUBLE, 2, 2, MPI_COMM_WORLD);
    if (me == 2)
        MPI_Recv(b, 64, MPI_DOUBLE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
)");
    ASSERT_EQ(0, sh("hubcc prog.c -o prog")) << errors;
    EXPECT_EQ(0, sh("hubrun -q -n 3 -m ring4 --profile=p.csv ./prog && cat p.csv && "
                    "awk -F, '{ print $1, $2, ($3 > 2), ($4 > 1500) }' p.matrix.csv"))
        << errors;
    EXPECT_TRUE(has(out, "\n1,MPI_Sendrecv,3,1536,"));
    EXPECT_TRUE(has(out, "\n0,MPI_Send,1,80,"));
    EXPECT_FALSE(has(out, "1,MPI_Send,"));
    EXPECT_TRUE(has(out, "\n0 1 1 1\n"));
    EXPECT_TRUE(has(out, "\n2 0 1 1\n"));
    EXPECT_TRUE(has(errors, "\nMPI_Sendrecv       9   4608 "));
    EXPECT_TRUE(has(errors, "\nsent "));
    EXPECT_EQ(0,
              sh("hubrun -q -n 3 -m ring4 --profile=p.json ./prog && python3 -m json.tool p.json"));
    EXPECT_EQ(1, sh("hubrun -q -n 3 -m ring4 --profile=none/p.csv ./prog"));
    EXPECT_TRUE(has(errors, "hubrun: none/p.csv: No such file or directory"));
    EXPECT_EQ(1, sh("hubrun -q -n 2 -m mbcf-hub --place 0,0 --profile=q.csv ./prog"));
    EXPECT_TRUE(has(errors, "cores = 1: too few for 2 ranks"));
    EXPECT_EQ(1, sh("hubrun -n 200 -m ring4 ./prog"));
    EXPECT_TRUE(has(errors, "cores = 20: too few for 50 ranks"));
}

/** Handles are for two, and channels are the node's. */
TEST_F(Programs, ExamplesForTwoRanksSayWhatTheyExpect)
{
    for (const char *name : { "early", "pingpong", "put" }) {
        const std::string program = name;

        ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/../../../../examples/" + program + ".c -o prog"));
        for (const char *ranks : { "1", "3", "4" }) {
            EXPECT_EQ(2, sh(std::string("hubrun -q -n ") + ranks + " -m two-node ./prog"));
            EXPECT_TRUE(has(errors, program + ": " + ranks + " ranks: expected 2\n"));
        }
        EXPECT_EQ(0, sh("hubrun -q -n 2 -m two-node ./prog")) << errors;
    }
    EXPECT_EQ(2, sh("hubrun -q -n 2 -m one-node ./prog"));
    EXPECT_TRUE(has(errors, "put: 2 ranks on one node: expected one on each\n"));
    ASSERT_EQ(0, sh("hubcc -O2 " PROGRAMS "/../../../../examples/pingpong.c -o prog"));
    EXPECT_EQ(1, sh("hubrun -n 2 -m one-node ./prog"));
    EXPECT_TRUE(has(errors, "memory of the own node: expected that of another one"));
    EXPECT_EQ(0, sh("hubrun -n 2 -m two-node --set 'node*.software.pio_mapping=wc' ./prog"))
        << errors;
}

} // namespace
