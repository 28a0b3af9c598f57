// The table of columns, by which a Report becomes a row and a row becomes JSON and back.
#include "archive/archived_run.h"

#include "read/printable_text.h"
#include "report/derived_figures.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <fmt/format.h>

namespace mprof {

namespace {

constexpr int64_t seconds_per_day = 86'400;

std::chrono::year_month_day day_of(double seconds)
{
    const auto days = static_cast<int64_t>(std::floor(seconds / seconds_per_day));
    return std::chrono::sys_days(std::chrono::days(days));
}

}  // namespace

std::string iso_of_seconds(double seconds)
{
    const auto day = day_of(seconds);
    const auto rest = static_cast<int64_t>(seconds) % seconds_per_day;
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(day.year()),
                       static_cast<unsigned>(day.month()), static_cast<unsigned>(day.day()),
                       rest / 3600, rest / 60 % 60, rest % 60);
}

int64_t week_of(double seconds)
{
    // 1 January 1970 was a Thursday.
    const auto days = static_cast<int64_t>(std::floor(seconds / seconds_per_day));
    return (days + 3) / 7;
}

std::string day_without_year(double seconds)
{
    static constexpr std::array months = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                          "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    const auto day = day_of(seconds);
    return fmt::format("{} {}", static_cast<unsigned>(day.day()),
                       months.at(static_cast<unsigned>(day.month()) - 1));
}

std::string day_text(double seconds)
{
    return fmt::format("{} {}", day_without_year(seconds),
                       static_cast<int>(day_of(seconds).year()));
}

namespace {

using R = ArchivedRun;

const std::array columns = {
    RunColumn{"run", &R::run},
    RunColumn{"program", &R::program},
    RunColumn{"input", &R::input},
    RunColumn{"command", &R::command, Privacy::full},
    RunColumn{"owner", &R::owner, Privacy::full},
    RunColumn{"ranks", &R::ranks},
    RunColumn{"nodes", &R::nodes},
    RunColumn{"start", &R::start},
    RunColumn{"stop", &R::stop},
    RunColumn{"wallclock_s", &R::wallclock_s},
    RunColumn{"mpi_s", &R::mpi_s},
    RunColumn{"compute_s", &R::compute_s},
    RunColumn{"wait_s", &R::wait_s},
    RunColumn{"contention_s", &R::contention_s},
    RunColumn{"blocked_s", &R::blocked_s},
    RunColumn{"calls", &R::calls},
    RunColumn{"sent_bytes", &R::sent_bytes},
    RunColumn{"memory_bytes", &R::memory_bytes},
    RunColumn{"comm_percent", &R::comm_percent},
    RunColumn{"load_balance", &R::load_balance},
    RunColumn{"parallel_efficiency", &R::parallel_efficiency},
    RunColumn{"complete", &R::complete},
    RunColumn{"end", &R::end},
    RunColumn{"verdict_class", &R::verdict_class},
    RunColumn{"verdict_state", &R::verdict_state},
    RunColumn{"gain_s", &R::gain_s},
    RunColumn{"host", &R::host, Privacy::scrubbed},
    RunColumn{"slow_host", &R::slow_host, Privacy::scrubbed},
    RunColumn{"mpi_library", &R::mpi_library},
    RunColumn{"compiler", &R::compiler},
    RunColumn{"kernel", &R::kernel},
    RunColumn{"build_id", &R::build_id},
    RunColumn{"mprof", &R::mprof},
    RunColumn{"stands_for", &R::stands_for, Privacy::figures, 2},
    RunColumn{"commit", &R::commit, Privacy::scrubbed, 3},
    RunColumn{"accounts", &R::accounts, Privacy::figures, 3},
    RunColumn{"gpu_wait_s", &R::gpu_wait_s, Privacy::figures, 3},
    RunColumn{"gpu_copy_s", &R::gpu_copy_s, Privacy::figures, 3},
    RunColumn{"gpu_launch_s", &R::gpu_launch_s, Privacy::figures, 3},
    RunColumn{"folder", &R::folder, Privacy::full, 4},
};

int64_t kept_count(uint64_t count)
{
    return static_cast<int64_t>(std::min<uint64_t>(count, INT64_MAX));
}

// As mprof export names it, so that both agree on which run it is.
std::string run_key(const RunFacts &run)
{
    std::string begin = run.start;
    std::erase_if(begin, [](char c) { return c == '-' || c == ':'; });
    std::string key = run.run_id;
    if (!begin.empty())
        key += "-" + begin;
    if (run.world > 0)
        key += fmt::format("-world{}", run.world);
    return key;
}

std::string text_of_run(const RunFacts &run, std::string_view key)
{
    const auto found = std::find_if(run.texts.begin(), run.texts.end(),
                                    [&](const auto &text) { return text.first == key; });
    return found == run.texts.end() ? "" : found->second;
}

std::string slow_host_of(const Report &report)
{
    const auto slowest = std::max_element(
        report.nodes.begin(), report.nodes.end(),
        [](const NodeRow &a, const NodeRow &b) { return a.compute_s < b.compute_s; });
    return slowest == report.nodes.end() ? "" : slowest->host;
}

// FNV-1a of 64 bits with the secret on both sides. It keeps names from the eye, not from one who
// has the archive and tries names: share/doc/howto/archive.md says so.
std::string number_of(const std::string &secret, const std::string &text)
{
    uint64_t hash = 0xCBF29CE484222325;
    std::string mixed = secret;
    mixed.append(text).append(secret);
    for (const char c : mixed) {
        hash ^= static_cast<unsigned char>(c);
        hash *= 0x100000001B3;
    }
    return fmt::format("{:012x}", hash >> 16);
}

bool is_inside_letter(char byte)
{
    return (static_cast<unsigned char>(byte) & 0xc0U) == 0x80U;
}

void hide_name(std::string &name, const char *kind, const std::string &secret)
{
    if (!name.empty())
        name = fmt::format("{}-{}", kind, number_of(secret, name));
}

}  // namespace

std::string kept_text(const std::string &text)
{
    std::string kept = printable_utf8(text);
    size_t end = std::min(kept.size(), size_t{most_text});
    while (end > 0 && end < kept.size() && is_inside_letter(kept[end]))
        end--;
    kept.resize(end);
    return kept;
}

std::string accounts_text(const AccountCosts &accounts)
{
    std::string text;
    for (const auto &[name, cost_s] : accounts) {
        const std::string one = fmt::format("{}{} {:.4g}", text.empty() ? "" : ", ", name, cost_s);
        if (text.size() + one.size() <= most_text)
            text += one;
    }
    return text;
}

// What is no such text has no accounts: who wrote it need not be trusted.
AccountCosts accounts_of_text(std::string_view text)
{
    AccountCosts accounts;
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(','));
        text.remove_prefix(std::min(text.size(), one.size() + 2));
        const size_t space = one.rfind(' ');
        double cost_s = 0;
        if (space == std::string_view::npos || space == 0)
            continue;
        const auto [end, error] =
            std::from_chars(one.data() + space + 1, one.data() + one.size(), cost_s);
        if (error == std::errc() && end == one.data() + one.size() && std::isfinite(cost_s))
            accounts.emplace_back(one.substr(0, space), cost_s);
    }
    return accounts;
}

std::span<const RunColumn> run_columns()
{
    return columns;
}

// The words behind that of the program, without their folders.
std::string input_of(const std::string &command, const std::string &program)
{
    std::vector<std::string> input;
    bool is_behind = false;
    for (const std::string &word : command_words(command)) {
        const std::string name = without_folder(word);
        if (is_behind)
            input.push_back(name);
        is_behind = is_behind || name == program;
    }
    return command_of(input);
}

ArchivedRun archived_run(const Report &report, const RunOrigin &origin)
{
    const RunFacts &facts = report.run;
    const Totals &totals = report.totals;
    ArchivedRun run;
    run.run = run_key(facts);
    run.program = kept_text(program_name(facts.command));
    run.input =
        kept_text(origin.input.empty() ? input_of(facts.command, run.program) : origin.input);
    run.command = kept_text(facts.command);
    run.owner = kept_text(origin.owner);
    run.ranks = facts.ranks;
    run.nodes = kept_count(facts.nodes);
    run.start = facts.start;
    run.stop = facts.stop;
    run.wallclock_s = facts.wallclock_s;
    run.mpi_s = totals.mpi_thread_s;
    run.compute_s = totals.compute_s;
    run.wait_s = totals.wait_thread_s;
    run.contention_s = totals.contention_s;
    run.blocked_s = totals.blocked_s;
    run.gpu_wait_s = totals.gpu_wait_s;
    run.gpu_copy_s = totals.gpu_copy_s;
    run.gpu_launch_s = totals.gpu_launch_s;
    run.calls = kept_count(totals.calls);
    run.sent_bytes = kept_count(totals.sent_bytes);
    run.memory_bytes = kept_count(totals.memory_bytes);
    run.comm_percent = totals.comm_percent;
    run.load_balance = totals.load_balance;
    run.parallel_efficiency = totals.parallel_efficiency;
    run.complete = facts.complete ? 1 : 0;
    run.end = text_of(facts.end);
    run.verdict_class = text_of(report.verdict.verdict_class);
    run.verdict_state = text_of(report.verdict.state);
    run.gain_s = report.verdict.gain_s;
    run.host = kept_text(facts.host);
    run.slow_host = kept_text(slow_host_of(report));
    run.mpi_library = kept_text(facts.mpi_library);
    run.compiler = kept_text(origin.compiler);
    run.kernel = kept_text(text_of_run(facts, "node.kernel"));
    run.build_id = kept_text(origin.build_id);
    run.mprof = report.version;
    run.commit = kept_text(origin.commit);
    run.folder = kept_text(origin.folder);
    AccountCosts accounts;
    for (const AccountRow &row : report.accounts.rows)
        if (row.gain_s > 0)
            accounts.emplace_back(text_of(row.kind), row.gain_s);
    run.accounts = accounts_text(accounts);
    return run;
}

std::vector<ArchivedLine> archived_lines(const Report &report)
{
    std::vector<ArchivedLine> lines;
    for (const CallLineRow &row : report.call_lines) {
        if (lines.size() == most_lines)
            break;
        lines.push_back({kept_text(row.place), kept_text(row.function), kept_count(row.calls),
                         row.time_s, row.wait_s});
    }
    return lines;
}

void make_private(ArchivedRun &run, std::vector<ArchivedLine> &lines, Privacy level,
                  const std::string &secret)
{
    for (const RunColumn &column : columns)
        if (const auto *const text = std::get_if<std::string ArchivedRun::*>(&column.member))
            if (level > column.most)
                (run.*(*text)).clear();
    if (level == Privacy::full)
        return;
    hide_name(run.input, "input", secret);
    hide_name(run.host, "node", secret);
    hide_name(run.slow_host, "node", secret);
    if (level == Privacy::figures) {
        hide_name(run.program, "program", secret);
        lines.clear();
    }
}

namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const std::string &text)
{
    return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}
OrderedJson json_of(const std::optional<double> &value)
{
    return value ? OrderedJson(*value) : OrderedJson(nullptr);
}
OrderedJson json_of(int64_t value)
{
    return value;
}
OrderedJson json_of(double value)
{
    return value;
}

bool from_json(const OrderedJson &json, std::string &text)
{
    if (json.is_string())
        text = kept_text(json.get_ref<const std::string &>());
    return json.is_string() || json.is_null();
}
bool from_json(const OrderedJson &json, double &value)
{
    if (json.is_number())
        value = json.get<double>();
    return json.is_number() && std::isfinite(value);
}
bool from_json(const OrderedJson &json, std::optional<double> &value)
{
    double number = 0;
    if (!json.is_null() && from_json(json, number))
        value = number;
    return json.is_null() || value.has_value();
}
bool from_json(const OrderedJson &json, int64_t &value)
{
    if (json.is_number_integer())
        value = json.get<int64_t>();
    return json.is_number_integer() && value >= 0;
}

template <class Value>
bool read_key(const OrderedJson &json, const char *key, Value &value)
{
    const auto found = json.find(key);
    return found != json.end() && from_json(*found, value);
}

}  // namespace

OrderedJson json_of_run(const ArchivedRun &run)
{
    OrderedJson json = OrderedJson::object();
    for (const RunColumn &column : run_columns())
        json[column.name] =
            std::visit([&](auto member) { return json_of(run.*member); }, column.member);
    return json;
}

OrderedJson json_of_lines(const std::vector<ArchivedLine> &lines)
{
    OrderedJson rows = OrderedJson::array();
    for (const ArchivedLine &line : lines)
        rows.push_back({{"place", json_of(line.place)},
                        {"function", json_of(line.function)},
                        {"calls", line.calls},
                        {"time_s", line.time_s},
                        {"wait_s", json_of(line.wait_s)}});
    return rows;
}

bool run_of_json(const OrderedJson &json, ArchivedRun &run)
{
    const auto all = run_columns();
    return json.is_object() && std::all_of(all.begin(), all.end(), [&](const auto &column) {
               return std::visit(
                   [&](auto member) { return read_key(json, column.name, run.*member); },
                   column.member);
           });
}

bool lines_of_json(const OrderedJson &json, std::vector<ArchivedLine> &lines)
{
    if (!json.is_array() || json.size() > most_lines)
        return false;
    for (const OrderedJson &row : json) {
        ArchivedLine line;
        if (!row.is_object() || !read_key(row, "place", line.place) ||
            !read_key(row, "function", line.function) || !read_key(row, "calls", line.calls) ||
            !read_key(row, "time_s", line.time_s) || !read_key(row, "wait_s", line.wait_s))
            return false;
        lines.push_back(std::move(line));
    }
    return true;
}

}  // namespace mprof
