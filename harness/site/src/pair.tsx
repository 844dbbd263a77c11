// SPDX-License-Identifier: Apache-2.0
// Two models head to head. Who wins a row is decided by `assay`: for every pair, or, of very many models,
// for those that reports show. Any other two are laid side by side, without edges.
import { useMemo } from 'preact/hooks';
import type { Board, Cell, Challenge, Outcome, Pair, Total } from './data';
import { AuthoredNote, Command, Heading, Loading, Marks, Verdict, fixed, number, pathTo, scoreText, useData } from './parts';
import { nameOf } from './challenge';
import { type Column, Table } from './table';

export function PairPage({ board, a, b }: { board: Board; a: string; b: string }) {
  const known = board.pairs.find(([x, y]) => (x === a && y === b) || (x === b && y === a));
  const title = `${nameOf(board, a)} and ${nameOf(board, b)}`;
  const go = (one: string, other: string) => {
    location.hash = pathTo('pair', one, other);
  };
  return (
    <>
      <Heading title={title}>Head to head</Heading>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <Choice board={board} label="Model A" value={a} choose={(model) => go(model, b)} />
        <Choice board={board} label="Model B" value={b} choose={(model) => go(a, model)} />
      </form>
      {a === b ? (
        <p>Choose two models.</p>
      ) : known ? (
        <Shown board={board} pair={known} />
      ) : (
        <>
          <WhyNoEdges board={board} models={[a, b]} />
          {board.challenges.map((challenge) => (
            <SideBySide key={challenge.id} board={board} challenge={challenge} models={[a, b]} />
          ))}
        </>
      )}
      <AuthoredNote />
    </>
  );
}

const kPairsOfReports = (
  <>
    neighbours in rank and the pairs that <code>reports/pairs.yaml</code> names
  </>
);

function WhyNoEdges({ board, models: [a, b] }: { board: Board; models: [string, string] }) {
  return board.pairs_are_all ? (
    <p>No challenge was entered by both.</p>
  ) : (
    <p>
      No edges stand here for these two: of more than {board.most_models_with_all_pairs} models, only {kPairsOfReports}{' '}
      have them here. <Command text={`assay compare ${a} ${b}`} /> compares them.
    </p>
  );
}

function Choice(props: { board: Board; label: string; value: string; choose: (model: string) => void }) {
  return (
    <label>
      {props.label}
      <select value={props.value} onChange={(event) => props.choose(event.currentTarget.value)}>
        {props.board.standings.map((one) => (
          <option key={one.model} value={one.model}>
            {one.model_name}
          </option>
        ))}
      </select>
    </label>
  );
}

function Shown({ board, pair: [a, b] }: { board: Board; pair: [string, string] }) {
  const { data, error } = useData<Pair>(`pairs/${a}/${b}`);
  if (!data) {
    return <Loading error={error} />;
  }
  return (
    <>
      {data.total.mean_a !== null && <p class="lead">{totalText(board, data.total, a, b)}</p>}
      {data.matchups.map((outcome) => {
        const challenge = board.challenges.find((one) => one.id === outcome.challenge);
        return (
          challenge && (
            <section key={outcome.challenge}>
              <h2>{challenge.title}</h2>
              <p>{winnerText(board, outcome, a, b)}</p>
              <SideBySide board={board} challenge={challenge} models={[a, b]} outcome={outcome} />
            </section>
          )
        );
      })}
      {!data.in_reports && (
        <p class="quiet">
          Reports have no page of these two: of many models they compare {kPairsOfReports}. In rows of times an edge
          holds beside those of neighbours in rank (Holm's procedure).
        </p>
      )}
      <p class="quiet">
        The same on a terminal: <Command text={`assay compare ${a} ${b}`} />
      </p>
    </>
  );
}

function totalText(board: Board, total: Total, a: string, b: string): string {
  const won = total.winner === 'B' ? `${total.points_b}-${total.points_a}` : `${total.points_a}-${total.points_b}`;
  const who = total.winner === 'A' ? `${nameOf(board, a)} wins` : total.winner === 'B' ? `${nameOf(board, b)} wins` : 'Split';
  const means = `${nameOf(board, a)} ${scoreText(total.mean_a, null)}, ${nameOf(board, b)} ${scoreText(total.mean_b, null)} on average`;
  // Points decide: who wins by them may be behind on average.
  const lead = (total.mean_a ?? 0) - (total.mean_b ?? 0);
  const isBehind = total.winner === 'B' ? lead > 0 : lead < 0;
  const sign = total.winner === 'split' ? '' : isBehind ? '-' : '+';
  const margin = `margin ${sign}${number(total.margin)} ± ${number(total.margin_uncertainty)}`;
  return `${who} ${won}: ${means}, ${margin}${total.undecided > 0 ? `; undecided: ${total.undecided}` : ''}.`;
}

function winnerText(board: Board, outcome: Outcome, a: string, b: string): string {
  const name = outcome.winner === 'A' ? nameOf(board, a) : outcome.winner === 'B' ? nameOf(board, b) : outcome.winner;
  const margin = `${number(outcome.margin)} ± ${number(outcome.margin_uncertainty)}`;
  const [won, lost] = outcome.winner === 'B' ? [outcome.won_b, outcome.won_a] : [outcome.won_a, outcome.won_b];
  const rows = `rows ${won} to ${lost}, ${outcome.tied} tied, ${outcome.unresolved} unresolved`;
  return outcome.reason ? `${name}: ${outcome.reason}` : `${name}, by ${margin}; ${rows}.`;
}

interface Both {
  id: string;
  title: string;
  texts: [string, string];
  scores: [number | null, number | null];
  edge: string;
  reason: string;
}

function SideBySide(props: { board: Board; challenge: Challenge; models: [string, string]; outcome?: Outcome }) {
  const { board, challenge, models, outcome } = props;
  const entered = models.every((model) => challenge.cells.some((cell) => cell.model === model));
  return entered ? (
    <BothCells board={board} challenge={challenge} models={models} outcome={outcome} />
  ) : (
    <>
      {!outcome && <h2>{challenge.title}</h2>}
      <p>Not both entered it.</p>
    </>
  );
}

function BothCells(props: { board: Board; challenge: Challenge; models: [string, string]; outcome?: Outcome }) {
  const { board, challenge, models, outcome } = props;
  const one = useData<Cell>(`cells/${challenge.id}/${models[0]}`);
  const two = useData<Cell>(`cells/${challenge.id}/${models[1]}`);
  const rows = useMemo(
    () => (one.data && two.data ? rowsOf(one.data, two.data, outcome) : []),
    [one.data, two.data, outcome],
  );
  const names: [string, string] = [nameOf(board, models[0]), nameOf(board, models[1])];
  const columns = useMemo(() => columnsOf(names, outcome !== undefined), [names[0], names[1], outcome]);
  if (!one.data || !two.data) {
    return <Loading error={one.error ?? two.error} />;
  }
  return (
    <>
      {!outcome && <h2>{challenge.title}</h2>}
      <p>
        {[one.data, two.data].map((cell, i) => (
          <span key={cell.model}>
            {i > 0 && '; '}
            <a href={pathTo('cell', challenge.id, cell.model)}>{names[i]}</a>
            <Marks of={cell} /> {scoreText(cell.overall, cell.uncertainty)}
            {cell.verdict !== 'accepted' && (
              <>
                , <Verdict verdict={cell.verdict} />
              </>
            )}
          </span>
        ))}
      </p>
      <Table caption={`Criteria of ${challenge.title}`} columns={columns} items={rows} keyOf={(row) => row.id} />
    </>
  );
}

function rowsOf(a: Cell, b: Cell, outcome?: Outcome): Both[] {
  const rowsOfB = new Map(b.criteria.map((row) => [row.id, row]));
  const edges = new Map((outcome?.rows ?? []).map((row) => [row.criterion, row]));
  return a.criteria.map((row) => {
    const other = rowsOfB.get(row.id);
    const edge = edges.get(row.id);
    return {
      id: row.id,
      title: row.title + (row.authored ? ' ‡' : ''),
      texts: edge?.compared ? [edge.compared.a, edge.compared.b] : [row.text, other?.text ?? '—'],
      scores: [row.score, other?.score ?? null],
      edge: edge?.edge ?? '',
      reason: edge?.reason ?? '',
    };
  });
}

function columnsOf(names: [string, string], hasEdges: boolean): Column<Both>[] {
  const score = (value: number | null) => (value === null ? '' : ` (${fixed(value, 0)})`);
  const columns: Column<Both>[] = [
    { id: 'title', title: 'Criterion', isHead: true, key: (row) => row.title },
    ...([0, 1] as const).map((i) => ({
      id: `model${i}`,
      title: names[i],
      key: (row: Both) => row.scores[i],
      show: (row: Both) => row.texts[i] + score(row.scores[i]),
      isNumber: true,
      isText: true,
    })),
  ];
  if (hasEdges) {
    columns.push({
      id: 'edge',
      title: 'Edge',
      key: (row) => row.edge,
      show: (row) => (
        <>
          {row.edge === 'A' ? <strong>{names[0]}</strong> : row.edge === 'B' ? <strong>{names[1]}</strong> : row.edge}
          {row.reason && <span class="quiet"> ({row.reason})</span>}
        </>
      ),
    });
  }
  return columns;
}
