// A folder that a command writes as a whole:
//
//   OutputFolder folder(path);
//   ... write files into folder.beside(), which is not there yet ...
//   const std::string problem = folder.finish();
//
// It has another name next to its place until finish(), as an OutputFile. A folder with something
// in it is never replaced.
#pragma once

#include <string>

namespace mprof {

class OutputFolder {
public:
    explicit OutputFolder(const std::string &path);
    ~OutputFolder();
    OutputFolder(const OutputFolder &) = delete;
    OutputFolder &operator=(const OutputFolder &) = delete;

    // "" or why it cannot be written.
    const std::string &problem() const { return problem_; }
    const std::string &beside() const { return beside_; }
    // Returns "" or why it could not be written.
    std::string finish();

private:
    std::string place_;   // without slashes at its end
    std::string beside_;  // "" = nothing to remove
    std::string problem_;
};

}  // namespace mprof
