// SPDX-License-Identifier: Apache-2.0
// A site without grading: the built page, and data in the form that `assay site` gives it
// (harness/report/site_data.h), some of it hostile.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const kHostile = [
  '<img src=x onerror=alert(1)>',
  "');alert(2)//",
  '</script><script>alert(3)</script>',
  '"><svg onload=alert(4)>',
  'javascript:alert(5)',
];

const page = process.env.PAGE ?? fileURLToPath(new URL('../../page', import.meta.url));

function script(name, document) {
  const text = JSON.stringify(document)
    .replaceAll('\\', '\\\\')
    .replaceAll("'", "\\'")
    .replaceAll('<', '\\u003c');
  return `assaySiteData('${name}','${text}')\n`;
}

const dimensions = [
  { id: 'correctness', title: 'Correctness', weight: 0.5 },
  { id: 'speed', title: 'Speed', weight: 0.3 },
  { id: 'documents', title: 'Documents', weight: 0.2 },
];
const criteria = ['edges', 'precision', 'decode', 'readme'].map((id, i) => ({
  id,
  title: `Row of ${id}`,
  dimension: dimensions[i % 3].id,
  value: `case_share(${id})`,
  edge: 'higher',
  weight: 10 - i,
}));

const isHostile = (index, hostile) => hostile && index < kHostile.length;

/** One without a score in some challenge, and one that was repaired in the first. */
export const kProvisional = 7;
export const kRepaired = 5;

function standing(index, hostile, firsts = 1) {
  const isRanked = index !== kProvisional;
  const average = isRanked ? 90 - index * 0.07 : null;
  return {
    model: `model-${index}`,
    model_name: isHostile(index, hostile) ? kHostile[index] : `Model ${String(index).padStart(4, '0')}`,
    rank: !isRanked ? null : index < firsts ? 1 : index + 1,
    ranks: isRanked ? [index + 1, index + 2] : null,
    medal: ['gold', 'silver', 'bronze'][index] ?? 'none',
    average,
    uncertainty: isRanked ? 1.5 : null,
    without_authored: isRanked
      ? { score: average - 1, uncertainty: 1, ranks: [index + 1, index + 1] }
      : { score: null, uncertainty: null, ranks: null },
    provisional: !isRanked,
    reconstruction: index % 2 === 1,
  };
}

/** Overall scores fall while averages do, but for every seventh: sorting by them is another order. */
export const overallOf = (index, challenge) =>
  Math.round(10 * (95 - index * 0.05 - (index % 7 === challenge ? 20 : 0))) / 10;

function boardCell(index, challenge, firsts = 1) {
  const isRepaired = index === kRepaired && challenge === 0;
  return {
    model: `model-${index}`,
    verdict: index % 3 === 2 ? 'wrong_answer' : 'accepted',
    reconstruction: index % 2 === 1,
    repaired: isRepaired,
    overall: overallOf(index, challenge),
    uncertainty: 2,
    without_authored: { score: 50, uncertainty: 1, ranks: [1, 2] },
    penalty: isRepaired ? 10 : 0,
    coverage: 0.899,
    rank: index < firsts ? 1 : index + 1,
    ranks: [index + 1, index + 1],
    medal: 'none',
    dimensions: dimensions.map((_, i) => [80 - i - (index % 50), 2, 1]),
    fails_like: index % 3 === 2 ? ['merge_drops_warps', 'inverted_causal_mask', 'prefill_not_stored'] : [],
  };
}

/** More cases than a table shows whole, each with more words than a line. */
const manyCases = Array.from({ length: 200 }, (_, i) => ({
  name: `Many.Case${i}`,
  verdict: 'wrong_answer',
  detail: `${'a long detail '.repeat(40)}\nof case ${i}`,
}));

function suite(words, more = []) {
  return {
    cases: [
      ...more,
      { name: 'Edges.Empty', verdict: 'accepted', detail: '' },
      { name: 'Edges.Nan', verdict: 'wrong_answer', detail: `3 of 8 differ ${words}` },
      { name: 'Edges.Infinite', verdict: 'skipped', detail: '' },
    ].map((one) => ({
      tags: ['edges'],
      gates: true,
      error_over_bound: one.verdict === 'wrong_answer' ? 'inf' : 0.25,
      failing_operation: one.verdict === 'wrong_answer' ? `backward ${words}` : null,
      failing_output: one.verdict === 'wrong_answer' ? `dx ${words}` : null,
      skip_cause: one.verdict === 'skipped' ? 'not_offered' : null,
      reproduction: null,
      seconds: 0.1,
      ...one,
    })),
    metrics: { tensors_saved: 3, worst: 'nan' },
    curves: { error: [[1, 2], [10, 3]] },
    launches: [{ label: '64x768', kernel: `kernel ${words}`, gpu: 'A GPU', values: { 'dram__bytes_read.sum': 131072 } }],
    device_findings: [{ checker: 'racecheck', text: `write after write ${words}` }],
    device_lacks: [],
  };
}

function cell(index, challenge, hostile) {
  const words = isHostile(index, hostile) ? kHostile.join(' ') : '';
  const board = boardCell(index, challenge);
  const build = { verdict: 'accepted', diagnostics: words && `warning: ${words}` };
  return {
    ...board,
    challenge: `challenge_${challenge}`,
    model_name: standing(index, hostile).model_name,
    verdict_detail: words,
    dimensions: dimensions.map((one, i) => ({ id: one.id, score: 80 - i, uncertainty: 2 * i, coverage: 1 })),
    criteria: criteria.map((one, i) => ({
      id: one.id,
      title: one.title,
      dimension: one.dimension,
      kind: 'test',
      state: 'measured',
      timed: false,
      authored: i === 3,
      note: words,
      text: `${90 - 10 * i} %`,
      score: i === 3 ? 31.25 : 90 - 10 * i,
      share: 0.1,
      points_lost: 1 + i,
      evidence: [{ thing: 'Edges.Nan', says: `failed ${words}` }],
    })),
    diagnosis: {
      failing: 1,
      fails_like: [{ says: 'merge_drops_warps (likely)', cases_for: ['Edges.Nan'], cases_against: [] }],
      unexplained: [],
    },
    why_times_are_untrusted: 'the controls are wide',
    samples: {
      workloads: [
        {
          workload: 'decode/8x512',
          runs: ['suite', 'sanitized_suite', 'own_tests'].map((after, i) => ({
            run: i + 1,
            after,
            median: 1.25 + i / 100,
            blocks: [[1.237, 1.25 + i / 100, 1.389], [1.244, 1.271]],
          })),
        },
        { workload: 'refused', runs: [] },
      ],
      controls: [{ workload: words || 'control', runs: [{ run: null, after: null, median: 1, blocks: [[1, 0.998]] }] }],
    },
    evidence: {
      environment: { seed: 7, compiler: 'g++ 12', sandbox_level: 'full', assay_version: '0.2.0' },
      release: build,
      sanitized: build,
      suite: suite(words, index === 3 ? manyCases : []),
      // As `assay site` hands it over: what went wrong alone.
      sanitized_suite: { cases: suite(words).cases.filter((one) => one.verdict === 'wrong_answer') },
      sanitizer_findings: words ? [words] : [],
      bench: {
        workloads: [
          {
            name: 'decode/8x512',
            operation: 'decode',
            verdict: 'accepted',
            detail: words,
            ratio: 1.25,
            ratio_low: 1.1,
            ratio_high: 'inf',
            share_of_bandwidth: 0.5,
          },
        ],
        controls: [0.905, 0.95, 0.99].map((low) => ({
          name: `control from ${low}`,
          operation: 'decode',
          verdict: 'accepted',
          detail: '',
          ratio: 1,
          ratio_low: low,
          ratio_high: 1.1,
          share_of_bandwidth: null,
        })),
      },
      own_tests: { mutants_killed: ['off_by_one'], mutants_survived: ['leaks'] },
      answers: [{ question: 'bytes', answered: words || '12', expected: '12', right: true }],
      claims: [{ claim: 'reads', claimed: 1, measured: 1, holds: true }],
    },
  };
}

function pictures(models) {
  return {
    models: models.slice(0, 6),
    curves: [
      {
        criterion: 'precision',
        title: 'Error against offset',
        curve: 'error',
        unit: 'offset',
        // One has no curve.
        series: models.slice(0, 6).map((_, i) => (i === 1 ? [] : [[1, 1e-6 * (i + 1)], [100, 1e-4], [131072, 1e-2]])),
      },
    ],
    times: {
      workloads: ['decode/8x512', 'prefill_f32_gqa/1x4096'],
      series: models.slice(0, 6).map((_, i) => ({
        why_untrusted: i === 0 ? 'the controls are wide' : '',
        points: [[0, 1 + i / 10, 0.9 + i / 10, 1.2 + i / 10], [1, 2, 1.5, 2.5]],
      })),
    },
    roofline: {
      gpu: 'A GPU',
      dram_bytes_per_s: 2e12,
      f32_flops_per_s: 2e13,
      series: models.slice(0, 6).map((_, i) => [[1 + i, 1e12]]),
    },
  };
}

function model(index, challenges, hostile) {
  const words = isHostile(index, hostile) ? kHostile.join(' ') : '3 of 8';
  const row = (i) => ({ criterion: criteria[i].id, authored: i === 3, points: 4.25 - i, says: words });
  return {
    model: `model-${index}`,
    rules: 'A strength is a row.',
    challenges: challenges.map((id) => ({
      id,
      best: { id: 'speed', score: 91 },
      worst: null,
      issues: [
        { kind: 'does_not_build', subject: '', detail: words },
        { kind: 'not_accepted', subject: 'wrong_answer', detail: words },
        { kind: 'known_bug', subject: words, detail: 'likely' },
        { kind: 'unexplained', subject: '', detail: '2 cases that no known bug explains' },
      ],
      strengths: [row(0), row(3)],
      weaknesses: [row(1)],
    })),
  };
}

/** The second wins by points where it is the third model, though it is behind on average. */
function pair(a, b, challenges, isInReports) {
  const winner = b === 'model-2' ? 'B' : 'A';
  return {
    a,
    b,
    in_reports: isInReports,
    total: {
      winner,
      points_a: winner === 'A' ? challenges.length : 0,
      points_b: winner === 'B' ? challenges.length : 0,
      mean_a: 70.2,
      mean_b: 67,
      margin: 3.2,
      margin_uncertainty: 0.8,
      undecided: winner === 'B' ? 1 : 0,
    },
    matchups: challenges.map((challenge) => ({
      challenge,
      winner,
      margin: 3.2,
      margin_uncertainty: 1.1,
      reason: '',
      won_a: 1,
      won_b: winner === 'B' ? 2 : 1,
      tied: 1,
      unresolved: 1,
      rows: ['A', 'B', 'tie', 'unresolved'].map((edge, i) => ({ criterion: criteria[i].id, edge, reason: '' })),
    })),
  };
}

/**
 * Writes a site and gives the address of its index.html. `cells`: of so many models, the first, there
 * is data of each cell. `allPairs`: there are edges of every two of them, not of neighbours alone.
 * `firsts`: so many models share the first rank.
 */
export function makeSite({ models = 8, challenges = 2, hostile = false, cells = 8, allPairs = false, firsts = 1 } = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'assay-site-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  cpSync(page, folder, { recursive: true });
  const write = (name, document) => {
    const path = join(folder, 'data', `${name}.js`);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, script(name, document));
  };
  const ids = Array.from({ length: models }, (_, i) => `model-${i}`);
  const challengeIds = Array.from({ length: challenges }, (_, i) => `challenge_${i}`);
  const areNeighbours = ([a, b]) => ids.indexOf(b) === ids.indexOf(a) + 1;
  const all = ids.slice(0, cells).flatMap((a, i) => ids.slice(i + 1, cells).map((b) => [a, b]));
  const pairs = allPairs ? all : all.filter(areNeighbours);
  challengeIds.forEach((challenge, c) => {
    write(`challenges/${challenge}`, pictures(ids));
    for (let i = 0; i < Math.min(cells, models); ++i) {
      write(`cells/${challenge}/${ids[i]}`, cell(i, c, hostile));
    }
  });
  ids.slice(0, cells).forEach((id, i) => write(`models/${id}`, model(i, challengeIds, hostile)));
  for (const [a, b] of pairs) {
    write(`pairs/${a}/${b}`, pair(a, b, challengeIds, areNeighbours([a, b])));
  }
  write('board', {
    standings: ids.map((_, i) => standing(i, hostile, firsts)),
    challenges: challengeIds.map((id, c) => ({
      id,
      title: `Challenge ${c}`,
      dimensions,
      criteria,
      cells: ids.map((_, i) => boardCell(i, c, firsts)),
      anchors: ['Baseline', 'Earlier'].map((name) => ({
        model: name.toLowerCase(),
        model_name: name,
        verdict: 'accepted',
        overall: 99,
        uncertainty: 1,
        of_another_version: name === 'Earlier',
      })),
    })),
    pairs,
    pairs_are_all: allPairs,
    most_models_with_all_pairs: 40,
    left_out: [],
  });
  return `file://${join(folder, 'index.html')}`;
}
