// SPDX-License-Identifier: Apache-2.0
// One model: what is strong, weak and wrong in each of its cells, with the way to where that is explained.
import type { Board, BoardCell, Challenge, HighlightedRow, Issue, Model, ModelChallenge } from './data';
import { nameOf } from './challenge';
import {
  AuthoredNote,
  Command,
  Heading,
  Loading,
  Medal,
  Verdict,
  kReconstruction,
  number,
  pathTo,
  ranksText,
  scoreText,
  useData,
} from './parts';
import { type Column, Table } from './table';

/** What the board and the model's own file have of one cell. */
interface Entry {
  challenge: Challenge;
  cell: BoardCell;
  shown: ModelChallenge;
}

export function ModelPage({ board, model }: { board: Board; model: string }) {
  const { data, error } = useData<Model>(`models/${model}`);
  const name = nameOf(board, model);
  const other = board.standings.find((one) => one.model !== model);
  return (
    <>
      <Heading title={name}>{name}</Heading>
      <Conclusion board={board} model={model} />
      {board.standings.some((one) => one.model === model && one.reconstruction) && (
        <p class="quiet">{kReconstruction}</p>
      )}
      {data ? <ModelBody board={board} data={data} /> : <Loading error={error} />}
      <p class="quiet">
        The same on a terminal: <Command text={`assay explain ${model}`} />
      </p>
      {other && (
        <p>
          <a href={pathTo('pair', model, other.model)}>Head to head with another model</a>
        </p>
      )}
    </>
  );
}

function Conclusion({ board, model }: { board: Board; model: string }) {
  const standing = board.standings.find((one) => one.model === model);
  const cells = board.challenges.flatMap((one) => one.cells.filter((cell) => cell.model === model));
  const accepted = cells.filter((cell) => cell.verdict === 'accepted').length;
  return standing ? (
    <p class="lead">
      {standing.ranks ? (
        <>
          Rank {ranksText(standing.ranks)} of {board.standings.length} <Medal medal={standing.medal} />
        </>
      ) : (
        'Without a rank'
      )}
      , on average {scoreText(standing.average, standing.uncertainty)}; without authored rows{' '}
      {scoreText(standing.without_authored.score, standing.without_authored.uncertainty)}. Accepted in {accepted} of{' '}
      {cells.length} challenges.
    </p>
  ) : null;
}

function ModelBody({ board, data }: { board: Board; data: Model }) {
  const entries = data.challenges.flatMap((shown): Entry[] => {
    const challenge = board.challenges.find((one) => one.id === shown.id);
    const cell = challenge?.cells.find((one) => one.model === data.model);
    return challenge && cell ? [{ challenge, cell, shown }] : [];
  });
  return (
    <>
      <Table caption="Its challenges" columns={columns} items={entries} keyOf={(entry) => entry.challenge.id} />
      {entries.map((entry) => (
        <Section key={entry.challenge.id} entry={entry} />
      ))}
      <p class="quiet">{data.rules}</p>
      {entries.some(({ shown }) => [...shown.strengths, ...shown.weaknesses].some((row) => row.authored)) && <AuthoredNote />}
    </>
  );
}

function named(challenge: Challenge, dimension: ModelChallenge['best']): string | null {
  const title = challenge.dimensions.find((one) => one.id === dimension?.id)?.title;
  return dimension && dimension.score !== null ? `${title ?? dimension.id} (${number(dimension.score)})` : null;
}

const columns: Column<Entry>[] = [
  {
    id: 'challenge',
    title: 'Challenge',
    isHead: true,
    key: ({ challenge }) => challenge.title,
    show: ({ challenge, cell }) => <a href={pathTo('cell', challenge.id, cell.model)}>{challenge.title}</a>,
  },
  {
    id: 'rank',
    title: 'Rank',
    key: ({ cell }) => cell.rank,
    show: ({ cell }) => (
      <>
        {ranksText(cell.ranks)} <Medal medal={cell.medal} />
      </>
    ),
  },
  {
    id: 'overall',
    title: 'Overall',
    isNumber: true,
    key: ({ cell }) => cell.overall,
    show: ({ cell }) => scoreText(cell.overall, cell.uncertainty),
  },
  { id: 'best', title: 'Best dimension', key: ({ challenge, shown }) => named(challenge, shown.best) },
  { id: 'worst', title: 'Worst dimension', key: ({ challenge, shown }) => named(challenge, shown.worst) },
  {
    id: 'verdict',
    title: 'Verdict',
    key: ({ cell }) => cell.verdict,
    show: ({ cell }) => (
      <>
        <Verdict verdict={cell.verdict} />
        {cell.repaired && ', repaired'}
      </>
    ),
  },
];

function Section({ entry }: { entry: Entry }) {
  const { challenge, shown } = entry;
  return (
    <section aria-label={challenge.title}>
      <h2>{challenge.title}</h2>
      {shown.issues.length > 0 && (
        <>
          <h3>Critical issues</h3>
          <ul>
            {shown.issues.map((issue, i) => (
              <li key={i}>
                <IssueWords issue={issue} />
              </li>
            ))}
          </ul>
        </>
      )}
      <Rows entry={entry} heading="Strengths" sign="+" rows={shown.strengths} />
      <Rows entry={entry} heading="Weaknesses" sign="-" rows={shown.weaknesses} />
      <p>
        <a href={pathTo('cell', challenge.id, entry.cell.model)}>All rows of {challenge.title}</a>, with the evidence.
      </p>
    </section>
  );
}

function IssueWords({ issue }: { issue: Issue }) {
  switch (issue.kind) {
    case 'does_not_build':
      return <>Does not build as handed in: {issue.detail}</>;
    case 'not_accepted':
      return (
        <>
          <Verdict verdict={issue.subject} />: {issue.detail}
        </>
      );
    case 'known_bug':
      return (
        <>
          Like the known bug <code>{issue.subject}</code> ({issue.detail})
        </>
      );
    case 'unexplained':
      return <>{issue.detail}</>;
  }
}

/** `+4.1 K support: 256`, each with the way to its evidence. */
function Rows({ entry, heading, sign, rows }: { entry: Entry; heading: string; sign: string; rows: HighlightedRow[] }) {
  const { challenge, cell } = entry;
  return rows.length === 0 ? null : (
    <>
      <h3>{heading}</h3>
      <ul class="highlights">
        {rows.map((row) => (
          <li key={row.criterion}>
            <strong>
              {sign}
              {number(row.points)}
            </strong>{' '}
            <span>
              <a href={pathTo('cell', challenge.id, cell.model, row.criterion)}>
                {challenge.criteria.find((one) => one.id === row.criterion)?.title ?? row.criterion}
              </a>
              {row.authored && ' ‡'}: {row.says}
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
