// SPDX-License-Identifier: Apache-2.0
#include "cli/review_options.h"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <utility>

#include "cli/review_help_texts.h"
#include "cli/shared_options.h"

namespace assay {
void AddReviewCommands(CLI::App& review, RawReviewOptions& raw) {
  review.require_subcommand(1);
  CLI::App& create =
      AddCommand(review, "new", "Write a dossier to be judged, without names", kReviewNewExamples);
  create.add_option("models", raw.models, "Whose submissions (default: all)")->type_name("MODEL");
  create.add_option("--reviewer", raw.reviewer, "Who is to judge: an id of your choice")
      ->type_name("ID")
      ->required();
  create.add_option("--challenge", raw.challenges, "To which challenge (default: all)")
      ->type_name("CHALLENGE");
  create.add_option("--to", raw.folder, "Where; made if it is not there")
      ->type_name("DIR")
      ->required()
      ->check(&NotEmpty);
  AddWaitOption(create, raw.wait);
  CLI::App& check =
      AddCommand(review, "check", "Say what does not hold in reviews", kReviewCheckExamples);
  check.add_option("files", raw.files, "Which (default: all below reports/reviews/)")
      ->type_name("FILE");
  CLI::App& collect =
      AddCommand(review, "collect", "Take in the reviews of a dossier", kReviewCollectExamples);
  collect.add_option("folder", raw.folder, "What review new wrote, filled in")
      ->type_name("DIR")
      ->required()
      ->check(&NotEmpty);
  AddWaitOption(collect, raw.wait);
}

CommandOptions ToReviewCommand(const CLI::App& review, const RawReviewOptions& raw,
                               CommonOptions common) {
  const std::string name = review.get_subcommands().front()->get_name();
  common.when_held = raw.wait ? WhenHeld::kWait : WhenHeld::kRefuse;
  if (name == "new") {
    return ReviewNewOptions{.common = std::move(common),
                            .reviewer = raw.reviewer,
                            .challenges = raw.challenges,
                            .models = raw.models,
                            .folder = raw.folder};
  }
  if (name == "check") {
    return ReviewCheckOptions{.common = std::move(common),
                              .files = {raw.files.begin(), raw.files.end()}};
  }
  return ReviewCollectOptions{.common = std::move(common), .folder = raw.folder};
}

}  // namespace assay
