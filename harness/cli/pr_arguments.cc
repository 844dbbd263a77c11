// SPDX-License-Identifier: Apache-2.0
#include "cli/pr_arguments.h"

#include "base/text.h"
#include "cli/shared_options.h"

namespace assay {

void AddPrArguments(CLI::App& pr, RawPr& raw) {
  pr.add_option("--base", raw.base, "What the change is to be merged into: its judge grades")
      ->type_name("REF")
      ->required();
  pr.add_option("--head", raw.head, "The change")->type_name("REF")->capture_default_str();
  pr.add_option("--out", raw.out, "Where the result set goes (default: .assay/pr)")
      ->type_name("DIR")
      ->check(&NotEmpty);
  pr.add_option("--gate", raw.gate, "What ends with 1")
      ->type_name("GATE")
      ->capture_default_str()
      ->check(CLI::IsMember({"none", "correctness", "performance"}));
  pr.add_option("--judge", raw.judge, "Whose harness, challenges and rubrics")
      ->type_name("WHOSE")
      ->capture_default_str()
      ->check(CLI::IsMember({"base", "change"}));
  pr.add_flag("--one-model", raw.one_model,
              "Refuse a change of anything but the folder of one model, whichever it is");
  pr.add_option("--only-model", raw.only_model, "Refuse a change of anything but MODEL's folder")
      ->type_name("MODEL")
      ->check([](const std::string& word) {
        return IsId(word) ? std::string() : "it is no id of a model";
      });
}

PrOptions ToPr(const RawPr& raw, const CommonOptions& common) {
  PrOptions options;
  options.common = common;
  options.base = raw.base;
  options.head = raw.head;
  options.out = raw.out;
  options.gate = raw.gate == "none"          ? ChangeGate::kNone
                 : raw.gate == "performance" ? ChangeGate::kPerformance
                                             : ChangeGate::kCorrectness;
  options.judge = raw.judge == "change" ? JudgeOf::kChange : JudgeOf::kBase;
  options.reach =
      raw.one_model || !raw.only_model.empty() ? ChangeReach::kOneModel : ChangeReach::kAnything;
  options.only_model = raw.only_model;
  return options;
}

}  // namespace assay
