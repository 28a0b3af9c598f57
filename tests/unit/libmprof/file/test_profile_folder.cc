// Ranks that can ask nobody find one folder together. Files that another of them is just beginning
// do not send them elsewhere. Files of other runs do.
#include <gtest/gtest.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

extern "C" {
#include "base/options.h"
#include "file/identity.h"
#include "file/profile_folder.h"
#include "mprof/format/format.h"
}

namespace {

namespace fs = std::filesystem;
constexpr uint64_t our_run = 7;

class SharedFolder : public testing::Test {
protected:
    void SetUp() override
    {
        fs::remove_all(folder_);
        fs::remove_all(second_);
        fs::create_directories(folder_);
        options.output = folder_.c_str();
    }
    void TearDown() override
    {
        fs::remove_all(folder_);
        fs::remove_all(second_);
    }
    void put(const std::string &content) const
    {
        std::ofstream(folder_ / "rank-1.mprof") << content;
    }
    void put_file_of(uint64_t run) const
    {
        mprof_file_header header{};
        std::memcpy(header.magic, MPROF_MAGIC, MPROF_MAGIC_BYTES);
        header.run_id = run;
        header.state = MPROF_FILE_LIVE;
        put({reinterpret_cast<const char *>(&header), sizeof header});
    }
    void put_node_file_of(uint64_t run) const
    {
        mprof_node_header header{};
        std::memcpy(header.magic, MPROF_NODE_MAGIC, MPROF_MAGIC_BYTES);
        header.run_id = run;
        header.state = MPROF_FILE_LIVE;
        header.ranks = 2;
        put({reinterpret_cast<const char *>(&header), sizeof header});
    }
    // Where rank 0 of two goes.
    static std::string found()
    {
        identity identity{};
        identity.ranks = 2;
        identity.run_id = our_run;
        EXPECT_TRUE(profile_folder_share(&identity, "key"));
        return identity.folder;
    }

    const fs::path folder_ =
        fs::temp_directory_path() / ("mprof-shared-" + std::to_string(getpid()));
    const fs::path second_ = folder_.native() + "-2";
};

TEST_F(SharedFolder, IsSharedWithARankOfTheSameRun)
{
    put_file_of(our_run);
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsSharedWithARankWhoseFileIsEmptyYet)
{
    put("");
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsSharedWithARankWhoseFileHasItsSizeOnlyYet)
{
    put(std::string(65536, '\0'));
    EXPECT_EQ(found(), folder_);
}

TEST_F(SharedFolder, IsNotSharedWithAnotherRun)
{
    put_file_of(our_run + 1);
    EXPECT_EQ(found(), second_);
}

TEST_F(SharedFolder, KnowsWhoseTheFileOfANodeIs)
{
    put_node_file_of(our_run);
    EXPECT_EQ(found(), folder_);
    put_node_file_of(our_run + 1);
    EXPECT_EQ(found(), second_);
}

// A run whose ranks share files has no file rank-0.mprof by which the folder is claimed.
TEST_F(SharedFolder, IsNotTakenWhereAnotherRunHasTheFileOfANode)
{
    identity identity{};
    identity.ranks = 2;
    put_node_file_of(our_run);
    ASSERT_TRUE(profile_folder_take(&identity));
    EXPECT_EQ(identity.folder, second_);
    EXPECT_FALSE(fs::exists(folder_ / "rank-0.mprof"));
}

// The program changed its working directory before MPI_Init.
TEST_F(SharedFolder, LiesWhereTheProgramWasStarted)
{
    const fs::path started = fs::current_path();
    const std::string name = folder_.filename().native();
    identity identity{};
    identity.ranks = 2;
    options.output = name.c_str();
    fs::current_path(folder_);
    EXPECT_TRUE(profile_folder_take(&identity));
    fs::current_path(started);
    EXPECT_EQ(identity.folder, started / name);
    fs::remove_all(started / name);
}

TEST_F(SharedFolder, IsTheUsualOneWhereNoFolderCanBe)
{
    const fs::path link = folder_ / "link";
    fs::create_symlink("/dev/null", link);
    for (const fs::path &path : {fs::path("/dev/null"), link}) {
        identity identity{};
        identity.ranks = 2;
        options.output = path.c_str();
        EXPECT_TRUE(profile_folder_take(&identity));
        EXPECT_EQ(fs::path(identity.folder).parent_path(), fs::current_path()) << path;
        EXPECT_EQ(fs::path(identity.folder).filename().native().rfind("test_libmprof.", 0), 0U);
        fs::remove_all(identity.folder);
    }
}

TEST_F(SharedFolder, IsNotSharedWithFilesThatAreNoProfile)
{
    put(std::string(65536, 'x'));
    EXPECT_EQ(found(), second_);
}

std::string script_of(const std::vector<std::string> &arguments)
{
    std::string words;
    for (const std::string &argument : arguments)
        words += argument + '\0';
    const std::string name = arguments[0].substr(arguments[0].rfind('/') + 1);
    const char *script = run_name_script(name.c_str(), words.data(), words.size());
    return script == nullptr ? "" : script;
}

TEST(RunName, IsTheScriptOfAnInterpreter)
{
    EXPECT_EQ(script_of({"/usr/bin/python3", "../heat/stencil.py", "-c", "4"}), "stencil.py");
    EXPECT_EQ(script_of({"python3.11", "-W", "ignore", "-u", "a.py"}), "a.py");
    EXPECT_EQ(script_of({"python3", "-m", "mpi4py", "dir/b.py"}), "b.py");
    EXPECT_EQ(script_of({"python3", "-m", "mpi4py"}), "mpi4py");
    EXPECT_EQ(script_of({"python3", "-m", "solver", "c.py"}), "solver");
    EXPECT_EQ(script_of({"julia", "d.jl"}), "d.jl");
}

TEST(RunName, IsTheProgramWhereThereIsNoScript)
{
    EXPECT_EQ(script_of({"python3"}), "");
    EXPECT_EQ(script_of({"python3", "-c", "import a", "b.py"}), "");
    EXPECT_EQ(script_of({"python3", "-X"}), "");
    EXPECT_EQ(script_of({"python3", "-m"}), "");
    EXPECT_EQ(script_of({"pythonic", "a.py"}), "");
    EXPECT_EQ(script_of({"heat", "input.py"}), "");
    char name[64];
    run_name(name, sizeof name);
    EXPECT_STREQ(name, program_invocation_short_name);
}

// The variables of Slurm that a test sets are gone behind it.
class JobName : public testing::Test {
protected:
    ~JobName() override
    {
        for (const std::string &variable : set_)
            unsetenv(variable.c_str());
    }
    void set(const std::string &variable, const std::string &value)
    {
        setenv(variable.c_str(), value.c_str(), 1);
        set_.push_back(variable);
    }
    void set_step(const std::string &step, const std::string &tasks)
    {
        set("SLURM_JOB_ID", "6");
        set("SLURM_STEP_ID", step);
        set("SLURM_STEP_NUM_TASKS", tasks);
    }
    // Of a step with 4 ranks.
    static std::string name()
    {
        char text[64];
        return job_step_name(4, text, sizeof text) ? text : "none";
    }

private:
    std::vector<std::string> set_;
};

TEST_F(JobName, IsNoneWithoutABatchSystem)
{
    EXPECT_EQ(name(), "none");
    set("SLURM_STEP_ID", "0");
    set("SLURM_ARRAY_JOB_ID", "3");
    set("SLURM_ARRAY_TASK_ID", "1");
    EXPECT_EQ(name(), "none");
}

TEST_F(JobName, HasTheStepOfAJobScript)
{
    set_step("0", "4");
    EXPECT_EQ(name(), "6") << "srun without a job script";
    set("ENVIRONMENT", "BATCH");
    EXPECT_EQ(name(), "6.0");
    set("SLURM_STEP_ID", "12");
    EXPECT_EQ(name(), "6.12");
}

TEST_F(JobName, HasNoStepThatIsNotTheProgramsOwn)
{
    set("ENVIRONMENT", "BATCH");
    set_step("1", "3");
    EXPECT_EQ(name(), "6") << "mpirun's helpers";
    set_step("4294967291", "4");
    EXPECT_EQ(name(), "6") << "the batch script";
    set_step("1x", "4");
    EXPECT_EQ(name(), "6");
    set_step("", "4");
    EXPECT_EQ(name(), "6");
}

TEST_F(JobName, OfAnArraysTaskHasBothNumbers)
{
    set("ENVIRONMENT", "BATCH");
    set("SLURM_ARRAY_JOB_ID", "3");
    set("SLURM_ARRAY_TASK_ID", "1");
    set_step("0", "4");
    EXPECT_EQ(name(), "3_1");
    set("SLURM_STEP_ID", "1");
    EXPECT_EQ(name(), "3_1.1");
    char text[64];
    EXPECT_TRUE(job_name(text, sizeof text));
    EXPECT_STREQ(text, "3_1");
}

TEST_F(JobName, IsNoPath)
{
    set("SLURM_JOB_ID", "../6");
    EXPECT_EQ(name(), "none");
    set("PBS_JOBID", "7.server");
    EXPECT_EQ(name(), "7.server");
}

}  // namespace
