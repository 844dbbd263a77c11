// SPDX-License-Identifier: Apache-2.0
// Times of a cell: each workload against the baseline, down to the ratio of each timed pair.
import type { Cell, Samples, Workload } from './data';
import { Command, Fold, Verdict, figure, sortable } from './parts';
import { type Column, Table } from './table';

export function TimesSection({ cell, of }: { cell: Cell; of: string }) {
  const { workloads, controls } = cell.evidence.bench;
  return (
    <Fold summary={`Times: ${workloads.length} workloads`}>
      {() => (
        <>
          {cell.why_times_are_untrusted && <p>Untrusted: {cell.why_times_are_untrusted}.</p>}
          <Times caption="Workloads" cell={cell} of={of} workloads={workloads} samples={cell.samples.workloads} />
          <Times
            caption="The baseline against itself"
            cell={cell}
            of={of}
            workloads={controls}
            samples={cell.samples.controls}
          />
        </>
      )}
    </Fold>
  );
}

const timeColumns: Column<Workload>[] = [
  { id: 'name', title: 'Workload', isHead: true, key: (one) => one.name },
  { id: 'verdict', title: 'Verdict', key: (one) => one.verdict, show: (one) => <Verdict verdict={one.verdict} /> },
  {
    id: 'ratio',
    title: 'Time over baseline',
    isNumber: true,
    key: (one) => sortable(one.ratio),
    show: (one) => (one.verdict === 'accepted' ? figure(one.ratio) : '—'),
  },
  {
    id: 'interval',
    title: '95 % interval',
    isNumber: true,
    isText: true,
    key: (one) => (one.verdict === 'accepted' ? sortable(one.ratio_low) : null),
    show: (one) => (one.verdict === 'accepted' ? `${figure(one.ratio_low)} to ${figure(one.ratio_high)}` : '—'),
  },
  {
    id: 'share',
    title: 'Share of bandwidth',
    isNumber: true,
    key: (one) => sortable(one.share_of_bandwidth),
    show: (one) => figure(one.share_of_bandwidth),
  },
  { id: 'detail', title: 'Detail', key: (one) => one.detail || null },
];

function Times(props: { caption: string; cell: Cell; of: string; workloads: Workload[]; samples: Samples[] }) {
  const { caption, cell, of, workloads, samples } = props;
  const seed = cell.evidence.environment.seed;
  return (
    <>
      <Table caption={caption} columns={timeColumns} items={workloads} keyOf={(one) => one.name} />
      {samples.map(
        (one) =>
          one.runs.length > 0 && (
            <Fold key={one.workload} summary={`Samples of ${one.workload}: ${counted(one.runs.length, 'run')}`}>
              {() => <SamplesOf one={one} again={`assay grade ${of} --force --seed=${seed}`} />}
            </Fold>
          ),
      )}
    </>
  );
}

type Run = Samples['runs'][number];
const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;
/** To four digits always, so that those below each other line up. */
const ratio = (value: number): string => value.toPrecision(4);
const nameOfRun = (run: Run): string =>
  run.run === null ? 'All' : `${run.run}${run.after ? `, after ${run.after.replace(/_/g, ' ')}` : ''}`;
const titleOfRatios = (run: Run): string => (run.run === null ? 'All ratios' : `Ratios of run ${nameOfRun(run)}`);
const pairsOf = (run: Run): number => run.blocks.reduce((sum, block) => sum + block.length, 0);

const runColumns: Column<Run>[] = [
  { id: 'run', title: 'Run', isHead: true, key: nameOfRun },
  { id: 'pairs', title: 'Pairs', isNumber: true, key: pairsOf },
  { id: 'median', title: 'Median ratio', isNumber: true, key: (run) => run.median, show: (run) => ratio(run.median) },
];

/** Ratios are a list, not a column: they wrap on a phone, and a screen reader reads them block by block. */
function SamplesOf({ one, again }: { one: Samples; again: string }) {
  return (
    <section class="samples" aria-label={`Samples of ${one.workload}`}>
      <Table caption={`Runs of ${one.workload}`} columns={runColumns} items={one.runs} keyOf={nameOfRun} />
      <p class="quiet">
        A ratio is the time of the submission over the baseline's, both on one input. Blocks of pairs have fresh
        processes each; a run's median is that of its blocks' medians.
      </p>
      {one.runs.map((run) => (
        <div key={nameOfRun(run)}>
          <p>{titleOfRatios(run)}, block by block:</p>
          <ol aria-label={titleOfRatios(run)}>
            {run.blocks.map((block, i) => (
              <li key={i}>{block.map(ratio).join(', ')}</li>
            ))}
          </ol>
        </div>
      ))}
      <p>
        Time it again, on the same inputs: <Command text={again} />
      </p>
    </section>
  );
}
