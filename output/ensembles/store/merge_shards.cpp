#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>

#include "ensembles/store/sweep_table.hpp"
#include "gnomon/base/error.hpp"
#include "gnomon/base/numbers.hpp"

namespace gnomon::ensembles {

namespace {

struct ShardFile {
  std::string name;
  Json::Value provenance;
  Shard shard;
};

Error wrong(const std::string& file, const std::string& why) {
  return Error(ErrorCode::bad_file, "file \"" + file + "\" " + why);
}

ShardFile open_shard(const std::string& name) {
  ShardFile file;
  file.name = name;
  if (std::filesystem::path(name).extension() != ".h5") throw wrong(name, "is no .h5 file, which shards are");
  const std::unique_ptr<tables::Reader> rows = tables::open_rows(name);
  file.provenance = rows->head().provenance;
  if (!file.provenance.isObject() || !file.provenance.isMember("vary") || !file.provenance.isMember("columns"))
    throw wrong(name, "is no table of a sweep");
  if (!file.provenance.isMember("shard")) throw wrong(name, "is a whole sweep, no shard of one");
  if (!rows->has_checksums()) throw wrong(name, "has no checksums, which every shard has: run it again");
  const std::string text = file.provenance["shard"].asString();
  const std::string::size_type slash = text.find('/');
  if (slash == std::string::npos || !read_number(text.substr(0, slash), file.shard.index) ||
      !read_number(text.substr(slash + 1), file.shard.count) || file.shard.index < 1 ||
      file.shard.index > file.shard.count)
    throw wrong(name, "has the shard \"" + text + "\", expected I/N");
  const long runs = file.provenance["runs"].asInt64();
  if (rows->rows() != file.shard.end(runs) - file.shard.begin(runs) ||
      rows->head().columns.size() != file.provenance["columns"].size() + 2)
    throw wrong(name, "is damaged: it has not the rows and columns of its shard");
  return file;
}

Json::Value definition_in(const Json::Value& provenance) {
  Json::Value definition = provenance;
  for (const char* name : {"shard", "counts", "failures"}) definition.removeMember(name);
  return definition;
}

/// All rows of a table with so many variables.
void rows_of(const std::string& name, std::size_t variables, const UseRow& use) {
  constexpr Index most = 1024;
  const std::unique_ptr<tables::Reader> reader = tables::open_rows(name);
  tables::Reader& rows = *reader;
  Matrix block;
  std::vector<double> values;
  for (Index begin = 0; begin < rows.rows(); begin += most) {
    rows.read(begin, std::min(most, rows.rows() - begin), block);
    values.resize(static_cast<std::size_t>(block.cols() - 2));
    const Index status = 1 + static_cast<Index>(variables);
    for (Index i = 0; i < block.rows(); ++i) {
      for (Index j = 1, k = 0; j < block.cols(); ++j)
        if (j != status) values[static_cast<std::size_t>(k++)] = block(i, j);
      const double number = block(i, status);
      if (!(number >= 0) || !(number < static_cast<double>(run_statuses().size())))
        throw wrong(name, "is damaged: a run has the status " + shortest_text(number));
      use(static_cast<long>(block(i, 0)), static_cast<RunStatus>(static_cast<int>(number)), values.data());
    }
  }
}

void add_messages(const Json::Value& provenance, std::map<long, std::string>& messages) {
  for (const Json::Value& failure : provenance["failures"])
    messages[failure["run"].asInt64()] = failure["message"].asString();
}

}  // namespace

SweepSummary merge_shards(const std::string& output, const std::vector<std::string>& files) try {
  if (std::filesystem::exists(output))
    throw Error(ErrorCode::bad_file, "output file \"" + output + "\" exists: give another name");
  std::vector<ShardFile> shards;
  for (const std::string& name : files) shards.push_back(open_shard(name));
  if (shards.empty()) throw Error(ErrorCode::bad_value, "no file is given to merge");
  std::map<long, std::string> names;
  const Json::Value definition = definition_in(shards.front().provenance);
  for (const ShardFile& one : shards) {
    const std::string differs = difference(definition_in(one.provenance), definition);
    if (!differs.empty()) throw wrong(one.name, "is of another sweep than \"" + files.front() + "\": " + differs);
    if (one.shard.count != shards.front().shard.count)
      throw wrong(one.name, fmt::format("is shard {}, and \"{}\" is shard {}", one.shard.text(), files.front(),
                                        shards.front().shard.text()));
    const auto [other, isnew] = names.emplace(one.shard.index, one.name);
    if (!isnew) throw wrong(one.name, fmt::format("is shard {}, as \"{}\" is", one.shard.text(), other->second));
  }
  for (long i = 1; i <= shards.front().shard.count; ++i)
    if (names.find(i) == names.end())
      throw Error(ErrorCode::bad_value, fmt::format("shard {}/{} is missing", i, shards.front().shard.count));
  std::sort(shards.begin(), shards.end(),
            [](const ShardFile& a, const ShardFile& b) { return a.shard.index < b.shard.index; });
  std::map<long, std::string> messages;
  for (const ShardFile& one : shards) add_messages(one.provenance, messages);
  const std::size_t variables = definition["vary"].size();
  return write_table(
      output, definition,
      [&](const UseRow& use) {
        for (const ShardFile& one : shards) rows_of(one.name, variables, use);
      },
      [&messages](long run) { return messages[run]; });
} catch (const Json::Exception&) {
  throw Error(ErrorCode::bad_file, "the files to merge tell of a sweep in a way that gnomon sweep does not write");
}

SweepSummary summary_of(const std::string& table) {
  const tables::Head head = tables::open_rows(table)->head();
  const Json::Value& definition = head.provenance;
  if (!definition.isObject() || head.columns.size() != definition["columns"].size() + 2)
    throw wrong(table, "is no table of a sweep");
  std::map<long, std::string> messages;
  add_messages(definition, messages);
  return summarise(
      definition, [&](const UseRow& use) { rows_of(table, definition["vary"].size(), use); },
      [&messages](long run) { return messages[run]; });
}

}  // namespace gnomon::ensembles
