// Orders and machines that are not the run's.
#include "place/read_order.h"

#include "read/file_bytes.h"
#include "report/number_text.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <optional>
#include <regex>
#include <string_view>

namespace mprof {

// The first line that is no comment tells what the file is.

namespace {

constexpr uint32_t most_slots = 1U << 20U;

struct TextRow {
    std::string text;
    uint64_t offset = 0;  // of the line in the file
};

// Without comments, empty lines, and space at both ends.
std::vector<TextRow> rows_of(const std::string &text)
{
    std::vector<TextRow> rows;
    for (size_t begin = 0; begin < text.size();) {
        const size_t end = std::min(text.size(), text.find('\n', begin));
        std::string line = text.substr(begin, end - begin);
        line.resize(std::min(line.size(), line.find('#')));
        const auto is_space = [](char c) {
            return std::isspace(static_cast<unsigned char>(c)) != 0;
        };
        const auto first = std::find_if_not(line.begin(), line.end(), is_space);
        const auto last = std::find_if_not(line.rbegin(), line.rend(), is_space).base();
        if (first < last)
            rows.push_back({std::string(first, last), begin});
        begin = end + 1;
    }
    return rows;
}

std::optional<uint32_t> number_in(const std::string &text, uint32_t most)
{
    constexpr size_t digits = 9;
    if (text.empty() || text.size() > digits ||
        !std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; }))
        return std::nullopt;
    const auto number = static_cast<uint32_t>(std::stoul(text));
    return number <= most ? std::optional(number) : std::nullopt;
}

const std::regex &host_line()
{
    static const std::regex pattern(
        R"(([A-Za-z0-9_][A-Za-z0-9_.\-]*)(?::([0-9]+)|((?:\s+[a-z_\-]+\s*=\s*[0-9]+)+))?)");
    return pattern;
}

constexpr const char *host_words = "a host, such as \"node1\", \"node1:4\" or \"node1 slots=4\"";

// Of "slots=4 max_slots=8".
std::string slots_value(const std::string &words)
{
    static const std::regex slots(R"((^|\s)slots\s*=\s*([0-9]+))");
    std::smatch match;
    return std::regex_search(words, match, slots) ? match[2].str() : "1";
}

// Collects what is said about each rank.
class OrderReader {
public:
    OrderReader(const std::string &path, uint32_t ranks) : path_(path)
    {
        order_.file = path;
        order_.hosts.resize(ranks);
        order_.sockets.assign(ranks, unknown_part);
        seen_.resize(ranks);
    }

    Result<WrittenOrder> read(const std::string &text)
    {
        const std::vector<TextRow> rows = rows_of(text);
        if (rows.empty())
            return text_error(path_, 0, "a rank file, bindings, MPICH_RANK_ORDER or hosts",
                              "nothing");
        const std::string &first = rows.front().text;
        std::optional<FileError> error;
        if (first.starts_with("rank "))
            error = read_rank_file(rows);
        else if (first.find("bound to") != std::string::npos || first.front() == '[')
            error = read_bindings(rows);
        else if (first.find_first_not_of("0123456789,- \t\r") == std::string::npos)
            error = read_numbers(rows);
        else
            error = read_hosts(rows);
        if (error)
            return *error;
        const auto missing = std::find(seen_.begin(), seen_.end(), false);
        if (missing != seen_.end())
            return text_error(path_, text.size(),
                              fmt::format("each of the run's {} ranks", seen_.size()),
                              fmt::format("no rank {}", missing - seen_.begin()));
        return std::move(order_);
    }

private:
    std::optional<FileError> take(const TextRow &row, const std::string &rank,
                                  const std::string &host, const std::string &socket)
    {
        const auto number = number_in(rank, UINT32_MAX);
        if (!number || *number >= seen_.size())
            return text_error(path_, row.offset,
                              fmt::format("a rank from 0 to {}", seen_.size() - 1), row.text);
        if (seen_[*number])
            return text_error(path_, row.offset, fmt::format("rank {} once", *number), row.text);
        seen_[*number] = true;
        order_.hosts[*number] = host;
        order_.sockets[*number] = number_in(socket, most_slots).value_or(unknown_part);
        return std::nullopt;
    }

    // "rank 3=node1 slot=0:2", "rank 3=+n1 slot=2"
    std::optional<FileError> read_rank_file(const std::vector<TextRow> &rows)
    {
        static const std::regex pattern(R"(rank\s+([0-9]+)\s*=\s*([A-Za-z0-9_.+\-]+))"
                                        R"((?:\s+slots?\s*=\s*(?:([0-9]+):)?[0-9p,:*\-]+)?)");
        for (const TextRow &row : rows) {
            std::smatch match;
            if (!std::regex_match(row.text, match, pattern))
                return text_error(path_, row.offset, "a line such as \"rank 3=node1 slot=0\"",
                                  row.text);
            if (auto error = take(row, match[1], match[2], match[3]))
                return error;
        }
        return std::nullopt;
    }

    // "[node1:4711] MCW rank 3 bound to socket 0[core 1[hwt 0]]: [./B]" of Open MPI 4,
    // "[node1:4711] Rank 3 bound to package[0][core:1]" of Open MPI 5. What else the file has, as
    // the output of the program, is passed over.
    std::optional<FileError> read_bindings(const std::vector<TextRow> &rows)
    {
        static const std::regex pattern(
            R"(\[([^\]:@]+)[:@][^\]]*\]\s+(?:MCW )?[Rr]ank (\d+) )"
            R"((?:is not bound|bound to (?:socket |package\[)?(\d+)?).*)");
        for (const TextRow &row : rows) {
            std::smatch match;
            if (!std::regex_match(row.text, match, pattern))
                continue;
            if (auto error = take(row, match[2], match[1], match[3]))
                return error;
        }
        return std::nullopt;
    }

    // "0,4,1,5", "0-3,8": which rank is at the first place, at the second ...
    std::optional<FileError> read_numbers(const std::vector<TextRow> &rows)
    {
        order_.places.assign(seen_.size(), 0);
        uint32_t next = 0;
        for (const TextRow &row : rows)
            for (size_t begin = 0; begin < row.text.size();) {
                const size_t end = std::min(row.text.size(), row.text.find(',', begin));
                std::string range = row.text.substr(begin, end - begin);
                range.erase(std::remove(range.begin(), range.end(), ' '), range.end());
                begin = end + 1;
                if (range.empty())
                    continue;
                const size_t dash = range.find('-');
                const auto first = number_in(range.substr(0, dash), most_slots << 4U);
                const auto last = dash == std::string::npos
                                      ? first
                                      : number_in(range.substr(dash + 1), most_slots << 4U);
                if (!first || !last || *last < *first)
                    return text_error(path_, row.offset, "ranks, such as \"0,4,1-3\"", range);
                for (uint32_t rank = *first; rank <= *last; rank++) {
                    if (auto error = take(row, std::to_string(rank), "", ""))
                        return error;
                    order_.places[rank] = next++;
                }
            }
        return std::nullopt;
    }

    std::optional<FileError> read_hosts(const std::vector<TextRow> &rows)
    {
        uint32_t rank = 0;
        for (const TextRow &row : rows) {
            std::smatch match;
            if (!std::regex_match(row.text, match, host_line()))
                return text_error(path_, row.offset, host_words, row.text);
            const auto slots =
                number_in(match[2].matched ? match[2].str() : slots_value(match[3]), most_slots);
            if (!slots)
                return text_error(path_, row.offset, "a number of ranks", row.text);
            // More slots than ranks are left free.
            for (uint32_t i = 0; i < *slots && rank < seen_.size(); i++)
                if (auto error = take(row, std::to_string(rank++), match[1], ""))
                    return error;
        }
        return std::nullopt;
    }

    std::string path_;
    WrittenOrder order_;
    std::vector<bool> seen_;
};

}  // namespace

Result<std::vector<HostSlots>> hosts_in_text(const std::string &path, const std::string &text)
{
    std::vector<HostSlots> hosts;
    for (const TextRow &row : rows_of(text)) {
        std::smatch match;
        if (!std::regex_match(row.text, match, host_line()))
            return text_error(path, row.offset, host_words, row.text);
        const auto slots =
            number_in(match[2].matched ? match[2].str() : slots_value(match[3]), most_slots);
        if (!slots || *slots == 0)
            return text_error(path, row.offset, "a number of slots", row.text);
        const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const HostSlots &host) {
            return host.host == match[1];
        });
        if (known != hosts.end())
            known->slots += *slots;
        else
            hosts.push_back({match[1], *slots});
    }
    if (hosts.empty())
        return text_error(path, 0, host_words, "nothing");
    return hosts;
}

Result<std::vector<HostSlots>> read_host_file(const std::string &path)
{
    const Result<std::string> text = read_text_file(path);
    if (!text.ok())
        return text.error();
    return hosts_in_text(path, text.value());
}

Result<WrittenOrder> order_in_text(const std::string &path, const std::string &text, uint32_t ranks)
{
    return OrderReader(path, ranks).read(text);
}

Result<WrittenOrder> read_order(const std::string &path, uint32_t ranks)
{
    const Result<std::string> text = read_text_file(path);
    if (!text.ok())
        return text.error();
    return order_in_text(path, text.value(), ranks);
}

// Ranks fill the nodes in the order in which they are named, as launchers do. On a node with more
// cores than ranks each rank has an equal share of neighbouring cores.

namespace {

constexpr uint32_t most_nodes = 1U << 20U;

// A node that has room, and how many of its slots are used.
struct NodeRoom {
    std::string host;
    uint64_t slots = 0;
};

std::string too_small(uint64_t slots, uint64_t ranks)
{
    return fmt::format("the machine has room for {}, the run has {}", plural(slots, "rank"), ranks);
}

std::vector<NodeRoom> rooms_of(const Report &report, const std::vector<HostSlots> *hosts,
                               const NodeTopology *topology)
{
    std::vector<NodeRoom> rooms;
    if (hosts != nullptr) {
        for (const HostSlots &host : *hosts)
            rooms.push_back({host.host, host.slots});
        return rooms;
    }
    const bool other_nodes =
        topology != nullptr && topology->nodes > 0 && topology->nodes != report.nodes.size();
    if (!other_nodes) {
        for (const NodeRow &node : report.nodes)
            rooms.push_back({node.host, node.ranks});
        return rooms;
    }
    for (uint32_t i = 0; i < topology->nodes; i++)
        rooms.push_back({fmt::format("node{}", i), topology->cores.size()});
    return rooms;
}

std::string slot_words(size_t first, size_t last)
{
    return first == last ? std::to_string(first) : fmt::format("{}-{}", first, last);
}

// Rank `index` of `ranks` on a node.
void set_cores(const NodeTopology &topology, uint64_t index, uint64_t ranks, uint32_t number,
               Place &place)
{
    const std::vector<NodeCore> &cores = topology.cores;
    const size_t share = cores.size() / ranks;
    const size_t first = index * share, last = first + share - 1;
    const auto base = static_cast<uint32_t>(place.node * cores.size());
    place.slot = slot_words(first, last);
    if (cores[first].socket != cores[last].socket)
        return;
    place.socket = base + cores[first].socket;
    if (cores[first].cache == cores[last].cache)
        place.cache = base + cores[first].cache;
    place.core = number;
}

}  // namespace

std::variant<NodeTopology, std::string> read_topology(const std::string &words)
{
    NodeTopology topology;
    std::string inside = words;
    const bool is_file = std::filesystem::exists(words) || words.ends_with(".xml");
    constexpr std::string_view nodes_word = "node:";
    if (!is_file && words.starts_with(nodes_word)) {
        const char *end = words.data() + words.size();
        const auto [at, error] =
            std::from_chars(words.data() + nodes_word.size(), end, topology.nodes);
        if (error != std::errc() || topology.nodes == 0 || topology.nodes > most_nodes ||
            (at != end && *at != ' '))
            return fmt::format("--topology \"{}\": expected something like \"node:4 core:2\"",
                               words);
        inside = std::string(at, end);
        inside.erase(0, inside.find_first_not_of(' '));
    }
    if (inside.empty())
        return fmt::format(
            "--topology \"{}\": expected cores after the nodes, such as \"node:4 core:2\"", words);
    auto cores = cores_of_node(inside, is_file);
    if (const auto *reason = std::get_if<std::string>(&cores))
        return fmt::format("--topology \"{}\": {}", words, *reason);
    topology.cores = std::move(std::get<std::vector<NodeCore>>(cores));
    return topology;
}

std::variant<Machine, std::string> other_machine(const Report &report,
                                                 const std::vector<HostSlots> *hosts,
                                                 const NodeTopology *topology)
{
    Machine machine;
    machine.source = hosts != nullptr ? "the nodes that --on names" : "what --topology says";
    uint64_t left = report.run.ranks;
    uint64_t slots = 0;
    for (const NodeRoom &room : rooms_of(report, hosts, topology)) {
        slots += room.slots;
        const uint64_t ranks = std::min(left, room.slots);
        if (ranks == 0)
            continue;
        if (topology != nullptr && topology->cores.size() < ranks)
            return fmt::format("{} has {}, but {} should run there", room.host,
                               plural(topology->cores.size(), "core"), plural(ranks, "rank"));
        const auto node = static_cast<uint32_t>(machine.hosts.size());
        machine.hosts.push_back(room.host);
        for (uint64_t i = 0; i < ranks; i++) {
            Place place;
            place.node = node;
            place.slot = std::to_string(i);
            if (topology != nullptr)
                set_cores(*topology, i, ranks, static_cast<uint32_t>(machine.places.size()), place);
            machine.places.push_back(place);
        }
        left -= ranks;
    }
    if (left > 0)
        return too_small(slots, report.run.ranks);
    return machine;
}

}  // namespace mprof
