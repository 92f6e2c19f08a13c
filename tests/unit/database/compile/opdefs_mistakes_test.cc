// What is wrong in the YAML of a database, and what is said of it: one line, with place and reason.
#include <gtest/gtest.h>

#include "tests/unit/support/opdefs_folder.h"

namespace quantgate::opdefs {
namespace {

struct Case {
  const char* from;
  const char* to;
  const char* error;
};

// Of the op.
constexpr Case kOfOps[] = {
    {"{optional: true}", "{optionl: true}",
     "htp/Op.yaml:2:31: unknown key \"optionl\" of a port (did you mean optional?)"},
    {"{max: 5}", "{rnak: 5}",
     "htp/Op.yaml:13:14: unknown key \"rnak\" of kind rank"},
    {"in0 rank: {max: 5}", "in0 shape: {rnak: 5}",
     "htp/Op.yaml:13:14: unknown kind \"rnak\" (did you mean rank?)"},
    {"in0 rank: {max: 5}", "in0 shape: rnak",
     "htp/Op.yaml:13:14: unknown kind \"rnak\" (did you mean rank?)"},
    {"{max: 5}", "{maxx: 5}",
     "htp/Op.yaml:13:14: unknown key \"maxx\" of kind rank (did you mean max?)"},
    {"{max: 5}", "{max: 5, breech: rejected}",
     "htp/Op.yaml:13:22: unknown key \"breech\" of kind rank (did you mean breach?)"},
    {"{max: 5}", "{max: 5, symmetric: ~}",
     "htp/Op.yaml:13:22: unknown key \"symmetric\" of kind rank"},
    {"in0 rank: {max: 5}", "in0 two: {rank: 5, symmetric: ~}",
     "htp/Op.yaml:13:22: a second kind beside \"rank\""},
    {"in0 rank: {max: 5}", "in0 none: {when: {dtype: U8}}",
     "htp/Op.yaml:13:13: a constraint names no kind"},
    {"in0 rank: {max: 5}", "in0 dim: 4",
     "htp/Op.yaml:13:12: kind dim takes a map of fields"},
    {"in0 rank: {max: 5}", "in0 rank: [4]",
     "htp/Op.yaml:13:13: `eq` must be one number"},
    {"in0 rank: {max: 5}", "rank: {max: 5}",
     "htp/Op.yaml:13:3: a constraint is written `PORT NAME: ...`, like in0 rank: ..5; \"rank\" "
     "names no port"},
    {"in0 rank: {max: 5}", "in2 rank: {max: 5}",
     "htp/Op.yaml:13:13: unknown port or param \"in2\" (did you mean in0 or in1?)"},
    {"in0 rank: {max: 5}", "in0, in7 rank: {max: 5}",
     "htp/Op.yaml:13:18: unknown port or param \"in7\" (did you mean in0 or in1?)"},
    {"documented:\n", "documentd:\n",
     "htp/Op.yaml:12:1: unknown key \"documentd\" of an op (did you mean documented?)"},
    {"documented:\n", "documented 2.26..:\n",
     "htp/Op.yaml:12:1: unknown SDK \"2.26\": neither the backend's nor of a source (did you "
     "mean 2.25?)"},
    {"documented:\n", "documented 2.25:\n",
     "htp/Op.yaml:12:1: \"2.25\" is no range of SDK versions: write 2.25.., ..2.47 or "
     "2.25..2.47 (the last is not part of it)"},
    {"documented:\n", "documented 2.47..2.25:\n",
     "htp/Op.yaml:12:1: empty range: until 2.25 (exclusive) from 2.47"},
    {"documented:\n", "documented ..2.25:\n",
     "htp/Op.yaml:12:1: empty range: until 2.25 (exclusive) from 2.25"},
    {"U8 - U8", "U9 - U8",
     "htp/Op.yaml:8:24: unknown dtype \"U9\" (did you mean U4 or U8?)"},
    {"U8 - U8", "UFIXED_POINT_8 - U8",
     "htp/Op.yaml:8:24: unknown dtype \"UFIXED_POINT_8\": here it is called U8"},
    {"U8 - U8", "U8 U8",
     "htp/Op.yaml:8:24: a row has 3 columns, one per declared port, inputs then outputs; \"U8 "
     "U8\" has 2"},
    {"U8 - U8", "U8 - U8 U8",
     "htp/Op.yaml:8:24: a row has 3 columns, one per declared port, inputs then outputs; \"U8 - "
     "U8 U8\" has 4"},
    {"U8 - U8", "U8 - U8|",
     "htp/Op.yaml:8:24: nothing behind the last | of \"U8|\""},
    {"U8 - U8", "U8 - |",
     "htp/Op.yaml:8:24: nothing behind the last | of \"|\""},
    {"INT8.1: U8 - U8", "INT8: U8 - U8",
     "htp/Op.yaml:8:16: a row is named GROUP.NUMBER, not \"INT8\""},
    {"INT8.1: U8 - U8", "INT8.1-3: U8 - U8|S8",
     "htp/Op.yaml:8:26: \"INT8.1-3\" names 3 rows, its alternatives make 2"},
    {"INT8.1: U8 - U8", "INT8.1-1: U8 - U8",
     "htp/Op.yaml:8:16: empty range of rows \"INT8.1-1\""},
    {"INT8.1: U8 - U8", "INT8.1: [U8 - U8, S8 - S8]",
     "htp/Op.yaml:8:24: \"INT8.1\" names one row, and 2 stand there"},
    {"INT8.1: U8 - U8", "INT8.1: {row: U8 - U8, rows: [U8 - U8]}",
     "htp/Op.yaml:8:24: a row has either `row` or `rows`"},
    {"INT8.1: U8 - U8", "INT8.1: {row: U8 - U8, verdict: rejected}",
     "htp/Op.yaml:8:48: the verdict of a row can only be undocumented"},
    {"INT8.1: U8 - U8", "INT8.1: {row: U8 - U8, archs: v73+}",
     "htp/Op.yaml:8:39: unknown key \"archs\" of a row (did you mean arch?)"},
    {"INT8.1: U8 - U8", "INT8.1: - - U8",
     "htp/Op.yaml:8:24: not valid YAML: illegal block entry"},
    {"  documented: {INT8", "  measurd: {INT8",
     "htp/Op.yaml:8:3: unknown section \"measurd\": documented or measured, and maybe a range "
     "of SDKs (did you mean measured?)"},
    {"U8 - U8}", "U8 - U8}\n  measured ..2.26: {}",
     "htp/Op.yaml:9:3: unknown SDK \"2.26\": neither the backend's nor of a source (did you "
     "mean 2.25?)"},
    {"[both-ports]", "[both-port]",
     "htp/Op.yaml:10:8: unknown profile or constraint \"both-port\" (did you mean both-ports?)"},
    {"[both-ports]", "both-ports",
     "htp/Op.yaml:10:7: must be a list of names of profiles or constraints"},
    {"[both-ports]", "[scales]",
     "htp/Op.yaml:10:8: \"scales\" is a profile of one port: name it at a port"},
    {"[both-ports]", "[finite]",
     "htp/Op.yaml:10:8: \"finite\" is a constraint: name it at a port"},
    {"op: [both-ports]", "in0: [both-ports]",
     "htp/Op.yaml:10:9: \"both-ports\" is a profile of a whole op: name it under `op`"},
    {"op: [both-ports]", "in5: [scales]",
     "htp/Op.yaml:10:3: unknown port or param \"in5\" (did you mean in0 or in1?)"},
    {"except: {out0: [positive]}", "except: {in1: [positive]}",
     "htp/Op.yaml:11:16: excludes nothing: no profile used here brings \"positive\" to in1"},
    {"except: {out0: [positive]}", "except: {out0: [positiv]}",
     "htp/Op.yaml:11:17: unknown profile or constraint \"positiv\" (did you mean positive?)"},
    {"except: {out0: [positive]}", "except: [positive]",
     "htp/Op.yaml:11:9: `except` must be a map {port: names}"},
    {"except: {out0: [positive]}",
     "cases:\n  - {when: {param: {operation: ADDD}}, use: {in0: [finite]}}",
     "htp/Op.yaml:12:32: unknown value \"ADDD\" of operation (did you mean "
     "ADD?)\nhtp/Op.yaml:12:46: duplicate constraint \"in[0]/finite\""},
    {"except: {out0: [positive]}", "cases:\n  - {when: {dtype: U8}, use: {in0: [finite]}}",
     "htp/Op.yaml:12:13: condition dtype is about the constraint's own port, and it has none: "
     "use dtype_of with a port\nhtp/Op.yaml:12:31: duplicate constraint \"in[0]/finite\""},
    {"except: {out0: [positive]}", "revisions: {\"2.47\": text}",
     "htp/Op.yaml:11:13: no source is the revision history of 2.47"},
    {"except: {out0: [positive]}", "revisions: {\"2.48\": text}",
     "htp/Op.yaml:11:13: unknown SDK \"2.48\": neither the backend's nor of a source (did you "
     "mean 2.47?)"},
    {"{max: 5}", "{max: 5, breach: reject}",
     "htp/Op.yaml:13:30: unknown consequence \"reject\" (did you mean rejected?)"},
    {"{max: 5}", "{max: 5, max: 6}",
     "htp/Op.yaml:13:22: duplicate key \"max\""},
    {"{max: 5}", "{max: 5, arch: v7x}",
     "htp/Op.yaml:13:28: unknown arch \"v7x\" (did you mean v73?)"},
    {"{max: 5}", "{max: 5, arch: v73..v68}",
     "htp/Op.yaml:13:28: inverted arch range \"v73..v68\""},
    {"{max: 5}", "{max: 5, sources: [doc-2.25]}",
     "htp/Op.yaml:13:32: unknown source \"doc-2.25\" (did you mean docs-2.25?)"},
    {"{max: 5}", "{max: 5, sources: []}",
     "htp/Op.yaml:13:31: `sources` must be a list of source ids, at least one"},
    {"{max: 5}", "{max: 5, measured: {\"2.26\": undocumented}}",
     "htp/Op.yaml:13:33: unknown SDK \"2.26\": neither the backend's nor of a source (did you "
     "mean 2.25?)"},
    {"{max: 5}", "{max: 5, measured: undocumentd}",
     "htp/Op.yaml:13:32: unknown consequence \"undocumentd\" (did you mean undocumented?)"},
    {"{max: 5}", "{max: 5, groups: [INT16]}",
     "htp/Op.yaml:13:31: unknown group \"INT16\": no row has it"},
    {"{max: 5}", "{max: 5, when: {dtyp: B8}}",
     "htp/Op.yaml:13:29: unknown condition \"dtyp\" (did you mean dtype, dtype_not or dtype_of?)"},
    {"{max: 5}", "{max: 5, when: {param: {operation: ADDD}}}",
     "htp/Op.yaml:13:48: unknown value \"ADDD\" of operation (did you mean ADD?)"},
    {"{max: 5}", "{max: 5, when: {param: {operatin: ADD}}}",
     "htp/Op.yaml:13:37: unknown param \"operatin\" (did you mean operation?)"},
    {"{max: 5}", "{max: 5, when: {bits_of: {in7: 8}}}",
     "htp/Op.yaml:13:39: unknown port \"in7\" (did you mean in0 or in1?)"},
    {"{max: 5}", "{max: 5, when: {encoding: per_chanel}}",
     "htp/Op.yaml:13:39: unknown encoding \"per_chanel\" (did you mean per_channel?)"},
    {"{max: 5}", "{max: \"rank(in0\"}",
     "htp/Op.yaml:13:19: expression \"rank(in0\": expected ')' at character 9"},
    {"{max: 5}", "{max: rank(in9)}",
     "htp/Op.yaml:13:19: expression \"rank(in9)\": unknown port \"in9\" (did you mean in0 or "
     "in1?) at character 6"},
    {"{max: 5}", "{max: \"rank(in[0])\"}",
     "htp/Op.yaml:13:19: expression \"rank(in[0])\": expected a port, such as in0 at "
     "character 6"},
    {"{max: 5}", "{max: \"dim(in0, axs)\"}",
     "htp/Op.yaml:13:19: expression \"dim(in0, axs)\": unknown param \"axs\" (did you mean "
     "axis?) at character 10"},
    {"{max: 5}", "{max: 1/0}",
     "htp/Op.yaml:13:19: expression \"1/0\": division by zero at character 2"},
    {"in0 rank: {max: 5}", "\"in0 dim-$i\": {dim: {dim: \"$i\", eq: 1}, each: 4..0}",
     "htp/Op.yaml:13:49: `each` must be a range of whole numbers like 0..4, of 64 at most"},
    {"in0 rank: {max: 5}", "\"in0 dim-$i\": {dim: {dim: \"$i\", eq: 1}, each: 0..64}",
     "htp/Op.yaml:13:49: `each` must be a range of whole numbers like 0..4, of 64 at most"},
    {"in0 rank: {max: 5}", "\"in0 dim-$i\": {dim: {dim: \"$i\", eq: 1}, each: four}",
     "htp/Op.yaml:13:49: `each` must be a range of whole numbers like 0..4, of 64 at most"},
    {"in0 rank: {max: 5}", "\"in0 dim-$i\": {dim: {dim: \"$j\", eq: 1}, each: 0..4}",
     "htp/Op.yaml:13:29: \"$j\": `$` is followed by i or by (3*i+1)"},
    {"in0 rank: {max: 5}", "in0 dim-i: {dim: {dim: \"$i\", eq: 1}, each: 0..4}",
     "htp/Op.yaml:13:3: duplicate constraint \"in[0]/dim-i\""},
    {"in0 rank: {max: 5}", "in0 same-encoding: {as: in0, aspect: sacle}",
     "htp/Op.yaml:13:40: `aspect` must be scale or offset or both or equal_or_smaller_scale or "
     "equal_or_larger_scale or as_read or as_read_raw"},
    {"in0 rank: {max: 5}", "in0 param-value: {eq: 1}",
     "htp/Op.yaml:13:20: kind param_value is about a param, not a port"},
    {"in0 rank: {max: 5}", "in0 any-of: [[{rank: ..3}]]",
     "htp/Op.yaml:13:15: `any_of` must be a list of two or more lists of constraints"},
    {"in0 rank: {max: 5}", "in0 any-of: [[], []]",
     "htp/Op.yaml:13:15: `any_of` must be a list of two or more lists of constraints"},
    {"in0 rank: {max: 5}", "in0 any-of: [[{rank: ..3}], [{any_of: []}]]",
     "htp/Op.yaml:13:32: any_of is not possible within any_of"},
    {"in0 rank: {max: 5}", "in0 fixed-encoding: {scale: 1/x}",
     "htp/Op.yaml:13:31: `scale` must be a number or a fraction like \"1/65536\""},
    {"[{role: activation}", "[{role: activation, variadic: true}",
     "htp/Op.yaml:2:46: a variadic port must be the last one\nhtp/Op.yaml:8:24: a row has 2 "
     "columns, one per declared port, inputs then outputs; \"U8 - U8\" has 3"},
    {"op: Op", "op: Opp",
     "htp/Op.yaml:1:5: op \"Opp\" in the file of \"Op\""},
    {"axis: {dtype: I32", "all: {dtype: I32",
     "htp/Op.yaml:5:3: \"all\" is no name of a param"},
    {"dtype: UI32, values", "dtyp: UI32, values",
     "htp/Op.yaml:6:14: a param has no `dtype`\nhtp/Op.yaml:6:15: unknown key \"dtyp\" of a "
     "param (did you mean dtype?)"},
    {"dtype: UI32, values", "dtype: UINT_32, values",
     "htp/Op.yaml:6:22: unknown dtype \"UINT_32\": here it is called UI32"},
    {"op: Op\n", "op: Op\nsdk: 2.26..\n",
     "htp/Op.yaml:2:1: unknown SDK \"2.26\": neither the backend's nor of a source (did you "
     "mean 2.25?)"},
    {"op: Op\n", "op: Op\nextends: true\n",
     "htp/Op.yaml:2:10: there is no such op to extend"},
    {"op: Op\n", "op: Op\nvariants: []\n",
     "htp/Op.yaml:2:1: unknown key \"variants\" of an op"},
    {"op: Op\n", "op: Op\nexamples: [{inputs: [[1]], outputs: [[1]], each: axis}]\n",
     "htp/Op.yaml:2:50: \"axis\" has no named values"},
    {"op: Op\n",
     "op: Op\nexamples: [{inputs: [[1]], outputs: [[1]], each: operation, tags: {ADDD: Plus}}]\n",
     "htp/Op.yaml:2:68: unknown value \"ADDD\" of operation (did you mean ADD?)"},
    {"in0 rank: {max: 5}", "in0 shape: {rank: 5, breech: rejected}",
     "htp/Op.yaml:13:24: unknown key \"breech\" of a constraint (did you mean breach?)"},
    {"in0 rank: {max: 5}", "in0 any-of: [[{rank: ..3, wen: {dtype: U8}}], [{symmetric: ~}]]",
     "htp/Op.yaml:13:29: unknown key \"wen\" of a constraint (did you mean when?)"},
    {"in0 rank: {max: 5}", "in0 n: {note: x, topi: y}",
     "htp/Op.yaml:13:20: unknown key \"topi\" of a constraint (did you mean topic?)"},
    {"documented:\n", "documentd ..2.47:\n",
     "htp/Op.yaml:12:1: unknown section \"documentd ..2.47\": documented or measured, and maybe "
     "a range of SDKs (did you mean documented?)"},
};

// Of the profiles.
constexpr Case kOfProfiles[] = {
    {"[finite, positive]", "[finit, positive]",
     "htp/profiles.yaml:2:12: unknown profile or constraint \"finit\" (did you mean finite?)"},
    {"[finite, positive]", "[finite, both-ports]",
     "htp/profiles.yaml:2:20: \"both-ports\" is a profile of a whole op: name it under "
     "`op`\nhtp/profiles.yaml:2:20: a cycle of profiles: both-ports -> scales -> both-ports"},
    {"[finite, positive]", "[finite, scales]",
     "htp/profiles.yaml:2:20: a cycle of profiles: scales -> scales"},
    {"[finite, positive]", "[finite, other]\n  other: [scales]",
     "htp/profiles.yaml:3:11: a cycle of profiles: scales -> other -> scales"},
    {"[finite, positive]", "[]",
     "htp/profiles.yaml:2:11: must be a list of names of profiles or constraints"},
    {"[finite, positive]", "finite",
     "htp/profiles.yaml:2:11: must be a list of names of profiles or constraints"},
    {"in0, out0: [scales]", "in0, out0: scales",
     "htp/profiles.yaml:4:16: must be a list of names of profiles or constraints"},
    {"in0, out0: [scales]", "op: [finite]",
     "htp/profiles.yaml:4:10: \"finite\" is a constraint: name it at a port"},
    {"documented:\n", "documentd:\n",
     "htp/profiles.yaml:5:1: unknown key \"documentd\" of profiles.yaml (did you mean "
     "documented?)"},
    {"documented:\n", "documentd 2.25..:\n",
     "htp/profiles.yaml:5:1: unknown section \"documentd 2.25..\": documented or measured, and "
     "maybe a range of SDKs (did you mean documented?)"},
    {"documented:\n", "documented 2.26..:\n",
     "htp/profiles.yaml:5:1: unknown SDK \"2.26\": neither the backend's nor of a source (did you "
     "mean 2.25?)"},
    {"profiles:\n", "profils:\n",
     "htp/profiles.yaml:1:1: unknown key \"profils\" of profiles.yaml (did you mean "
     "profiles?)"},
    {"  finite: {valid_scale: finite}", "  scales: {valid_scale: finite}",
     "htp/profiles.yaml:2:3: duplicate name \"scales\""},
    {"  finite: {valid_scale: finite}", "  finite: {valid_scal: finite}",
     "htp/profiles.yaml:6:11: unknown kind \"valid_scal\" (did you mean valid_scale?)"},
    {"  finite: {valid_scale: finite}", "  finite: {valid_scale: finit}",
     "htp/profiles.yaml:6:25: `aspect` must be positive or finite or nonzero or nonnegative"},
    {"  finite: {valid_scale: finite}",
     "  finite: {valid_scale: finite}\nmeasured:\n  finite: {valid_scale: finite}",
     "htp/profiles.yaml:8:3: duplicate name \"finite\""},
    {"  finite: {valid_scale: finite}", "  finite: {valid_scale: finite, when: {dtype: U9}}",
     "htp/profiles.yaml:6:47: unknown dtype \"U9\" (did you mean U4 or U8?)"},
    {"  finite: {valid_scale: finite}",
     "  finite: {valid_scale: finite, when: {dtype_of: {in9: U8}}}",
     "htp/profiles.yaml:6:51: unknown port \"in9\" (did you mean in0 or in1?)"},
};

class Mistakes : public Folder {};

TEST_F(Mistakes, OfOpsHaveAPlaceAndAReason) {
  for (const Case& c : kOfOps) {
    Change(c.from, c.to);
    EXPECT_EQ(Error(), c.error) << c.to;
  }
}

TEST_F(Mistakes, OfProfilesHaveAPlaceAndAReason) {
  for (const Case& c : kOfProfiles) {
    ChangeProfiles(c.from, c.to);
    EXPECT_EQ(Error(), c.error) << c.to;
  }
}

}  // namespace
}  // namespace quantgate::opdefs
