/*
 * What differs between the builds that a test may belong to. It is asked for when the test runs,
 * because one object serves the release build and the sanitizer build: see HUBSIM_TEST_OBJECTS in
 * cmake/HubsimTargets.cmake.
 */
#ifndef TESTS_BUILT_H
#define TESTS_BUILT_H

#include <filesystem>
#include <string>

extern "C" void __asan_init() __attribute__((weak));

namespace test
{

/** The root of the build: the test itself is in tests/bin below it. */
inline const std::string BUILD =
    std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path().parent_path();
inline const std::string BIN = BUILD + "/bin";
inline const std::string HUBSIM = BIN + "/hubsim";
inline const std::string HUBRUN = BIN + "/hubrun";
inline const std::string HUBCC = BIN + "/hubcc";
inline const std::string WORKLOADS = BUILD + "/lib/hubsim/workloads";

/** Whether the code under test has sanitizers in it, with which it takes 5 to 10 times as long. */
inline const bool SANITIZED = __asan_init != nullptr;

} // namespace test

#endif /* TESTS_BUILT_H */
