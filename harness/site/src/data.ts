// SPDX-License-Identifier: Apache-2.0
// What `assay site` writes below data/ (harness/report/site_data.cc), and how it is loaded: each file
// is a script that hands one text of JSON to assaySiteData, since a page that was opened from a disk
// may load scripts and nothing else.

export type Score = number | null;
export type Ranks = [number, number] | null;
export interface UncertainScore {
  score: Score;
  uncertainty: Score;
  ranks: Ranks;
}

/** StandingJson: a model over all challenges. */
export interface Standing {
  model: string;
  model_name: string;
  rank: number | null;
  ranks: Ranks;
  medal: 'gold' | 'silver' | 'bronze' | 'none';
  average: Score;
  uncertainty: Score;
  without_authored: UncertainScore;
  provisional: boolean;
  reconstruction: boolean;
}

/** BoardCellJson. */
export interface BoardCell {
  model: string;
  verdict: string;
  reconstruction: boolean;
  repaired: boolean;
  overall: Score;
  uncertainty: Score;
  without_authored: UncertainScore;
  penalty: number;
  coverage: number;
  rank: number | null;
  ranks: Ranks;
  medal: Standing['medal'];
  /** Score, its uncertainty and how much of it was measured, in the order of the rubric. */
  dimensions: [Score, Score, number][];
  fails_like: string[];
}

/** SummaryJson of an anchor. */
export interface Anchor {
  model: string;
  model_name: string;
  verdict: string;
  overall: Score;
  uncertainty: Score;
  of_another_version: boolean;
}

export interface Challenge {
  id: string;
  title: string;
  dimensions: { id: string; title: string; weight: number }[];
  criteria: {
    id: string;
    title: string;
    dimension: string;
    value: string;
    edge: string;
    weight: number;
  }[];
  cells: BoardCell[];
  anchors: Anchor[];
}

/** BoardJson: data/board.js. */
export interface Board {
  standings: Standing[];
  challenges: Challenge[];
  /** Those with edges, the better in the ranking first. */
  pairs: [string, string][];
  pairs_are_all: boolean;
  most_models_with_all_pairs: number;
  left_out: string[];
}

/** ExplanationJson's rows. */
export interface Row {
  id: string;
  title: string;
  dimension: string;
  kind: string;
  state: 'measured' | 'not_measured' | 'failed';
  timed: boolean;
  authored: boolean;
  note: string;
  text: string;
  score: Score;
  share: number;
  points_lost: number;
  evidence: { thing: string; says: string }[];
}

export interface CaseOfSuite {
  name: string;
  tags: string[];
  verdict: string;
  gates: boolean;
  detail: string;
  error_over_bound: number | string | null;
  failing_operation: string | null;
  failing_output: string | null;
  skip_cause: string | null;
  reproduction: string | null;
  seconds: number;
}
export interface Workload {
  name: string;
  operation: string;
  verdict: string;
  detail: string;
  ratio: number | string;
  ratio_low: number | string;
  ratio_high: number | string;
  share_of_bandwidth: number | string | null;
}
export interface Launch {
  label: string;
  kernel: string;
  gpu: string;
  values: Record<string, number>;
}
export interface Suite {
  cases: CaseOfSuite[];
  metrics: Record<string, number | string>;
  curves: Record<string, [number, number][]>;
  launches: Launch[];
  device_findings: { checker: string; text: string }[];
  device_lacks: string[];
}
export interface Build {
  verdict: string;
  diagnostics: string;
}

/** SamplesJson: of one workload. Ratios are times of the submission over the baseline's. */
export interface Samples {
  workload: string;
  runs: {
    /** From 1; null in evidence that knows no runs. */
    run: number | null;
    after: string | null;
    median: number;
    /** The ratio of each pair, block by block. */
    blocks: number[][];
  }[];
}

/** CellJson: data/cells/<challenge>/<model>.js. */
export interface Cell {
  challenge: string;
  model: string;
  model_name: string;
  verdict: string;
  verdict_detail: string;
  overall: Score;
  uncertainty: Score;
  penalty: number;
  coverage: number;
  repaired: boolean;
  reconstruction: boolean;
  dimensions: { id: string; score: Score; uncertainty: Score; coverage: number }[];
  criteria: Row[];
  diagnosis: {
    failing: number;
    fails_like: { says: string; cases_for: string[]; cases_against: string[] }[];
    unexplained: string[];
  } | null;
  why_times_are_untrusted: string;
  samples: { workloads: Samples[]; controls: Samples[] };
  evidence: {
    environment: { seed: number; compiler: string; sandbox_level: string; assay_version: string };
    release: Build;
    sanitized: Build;
    suite: Suite;
    sanitized_suite: Suite;
    sanitizer_findings: string[];
    bench: { workloads: Workload[]; controls: Workload[] };
    own_tests: { mutants_killed: string[]; mutants_survived: string[] };
    answers: { question: string; answered: string; expected: string; right: boolean }[];
    claims: { claim: string; claimed: number | string; measured: number | string; holds: boolean }[];
  };
}

/** What nobody who uses the code would want to hear last. Words come from submissions. */
export interface Issue {
  kind: 'does_not_build' | 'not_accepted' | 'known_bug' | 'unexplained';
  subject: string;
  detail: string;
}
/** A row that stands out, by so many points of the overall score. */
export interface HighlightedRow {
  criterion: string;
  authored: boolean;
  points: number;
  says: string;
}
export interface ModelChallenge {
  id: string;
  best: { id: string; score: Score } | null;
  worst: { id: string; score: Score } | null;
  issues: Issue[];
  strengths: HighlightedRow[];
  weaknesses: HighlightedRow[];
}
/** ModelJson: data/models/<model>.js. */
export interface Model {
  model: string;
  /** What a strength, a weakness and a known bug are. */
  rules: string;
  challenges: ModelChallenge[];
}

/** OutcomeJson. */
export interface Outcome {
  challenge: string;
  winner: string;
  margin: number;
  margin_uncertainty: number;
  reason: string;
  won_a: number;
  won_b: number;
  tied: number;
  unresolved: number;
  rows: {
    criterion: string;
    edge: string;
    reason: string;
    compared?: { a: string; b: string };
  }[];
}
/** data/pairs/<a>/<b>.js. */
export interface Pair {
  a: string;
  b: string;
  in_reports: boolean;
  matchups: Outcome[];
  total: Total;
}

/** TotalJson: over the challenges that both entered. */
export interface Total {
  winner: string;
  points_a: number;
  points_b: number;
  mean_a: Score;
  mean_b: Score;
  margin: number;
  margin_uncertainty: number;
  /** Challenges without a winner, which give no points. */
  undecided: number;
}

/** PicturesJson: data/challenges/<challenge>.js. Series are of `models`, in their order. */
export interface Pictures {
  models: string[];
  curves: {
    criterion: string;
    title: string;
    curve: string;
    unit: string;
    series: [number, number][][];
  }[];
  times: {
    workloads: string[];
    series: { why_untrusted: string; points: [number, number, number, number][] }[];
  };
  roofline: {
    gpu: string;
    dram_bytes_per_s: number;
    f32_flops_per_s: number;
    series: [number, number][][];
  } | null;
}

type Waiting = { take: (text: string) => void };
const waiting = new Map<string, Waiting>();
const loaded = new Map<string, Promise<unknown>>();

declare global {
  interface Window {
    assaySiteData: (name: string, text: string) => void;
  }
}
window.assaySiteData = (name, text) => waiting.get(name)?.take(text);

/** The document of that name, which is made of ids. Rejects with words for the reader. */
export function load<T>(name: string): Promise<T> {
  const before = loaded.get(name);
  if (before) {
    return before as Promise<T>;
  }
  const promise = new Promise<T>((resolve, reject) => {
    const file = `data/${name}.js`;
    const script = document.createElement('script');
    const fail = (why: string) => {
      loaded.delete(name);
      reject(new Error(`${file} ${why}: write the site again with \`assay site\``));
    };
    waiting.set(name, {
      take: (text) => {
        resolve(JSON.parse(text) as T);
        waiting.delete(name);
      },
    });
    script.src = file.split('/').map(encodeURIComponent).join('/');
    script.onerror = () => fail('is not there');
    script.onload = () => {
      script.remove();
      // Cut off in the middle, say: a script that does not run has loaded all the same.
      if (waiting.has(name)) {
        fail('is broken');
      }
    };
    document.head.append(script);
  });
  loaded.set(name, promise);
  return promise;
}
