# What the page in a browser has of the command line: the verbs that need nothing but files, and what they stand on.
set(QUANTGATE_PAGE_VERBS
  fix.cc plan.cc targets.cc
  check/all_socs.cc check/check.cc check/checker.cc check/flags.cc check/save_node.cc check/setup.cc check/survey.cc
  cli/command_line.cc cli/common.cc cli/database_flags.cc cli/help.cc cli/input.cc cli/output.cc cli/large_blocks.cc cli/signals.cc
  cli/view_flags.cc cli/watch.cc
  show/fix_report.cc show/progress.cc show/query_html.cc show/table.cc)
