// SPDX-License-Identifier: Apache-2.0
// One challenge: its ranking, its pictures, and what counts how much.
import { useMemo } from 'preact/hooks';
import type { Board, Challenge, Pictures } from './data';
import {
  Command,
  Heading,
  Loading,
  Marks,
  Verdict,
  firstText,
  kReconstruction,
  pathTo,
  ranksText,
  scoreText,
  useData,
  versionText,
} from './parts';
import { CurvePicture, RooflinePicture, ScoresPicture, TimesPicture } from './pictures';
import { type Column, Table } from './table';

export const nameOf = (board: Board, model: string): string =>
  board.standings.find((one) => one.model === model)?.model_name ?? model;

export function ChallengePage({ board, challenge }: { board: Board; challenge: Challenge }) {
  const { data: pictures, error } = useData<Pictures>(`challenges/${challenge.id}`);
  const names = (pictures?.models ?? []).map((model) => nameOf(board, model));
  const columns = useMemo(() => columnsOf(board, challenge), [board, challenge]);
  return (
    <>
      <Heading title={challenge.title}>{challenge.title}</Heading>
      <Conclusion board={board} challenge={challenge} />
      <Table
        caption="Ranking"
        columns={columns}
        items={challenge.cells}
        start={{ column: 'overall', direction: 'descending' }}
        keyOf={(cell) => cell.model}
      />
      {challenge.cells.some((cell) => cell.reconstruction) && <p class="quiet">† {kReconstruction}</p>}
      <h2>Pictures</h2>
      {pictures && challenge.cells.length > names.length && (
        <p class="quiet">Of the first {names.length} in the ranking.</p>
      )}
      {pictures ? (
        <>
          <ScoresPicture challenge={challenge} names={names} />
          <TimesPicture pictures={pictures} names={names} />
          <RooflinePicture pictures={pictures} names={names} />
          {pictures.curves.map((curve) => (
            <CurvePicture key={curve.criterion} curve={curve} names={names} />
          ))}
        </>
      ) : (
        <Loading error={error} />
      )}
      <h2>What counts how much</h2>
      <Table
        caption="Criteria of the rubric"
        columns={rubricColumns(challenge)}
        items={challenge.criteria}
        keyOf={(criterion) => criterion.id}
      />
      {challenge.anchors.length > 0 && (
        <>
          <h2>Anchors</h2>
          <p>The zero and the hundred of the scale, graded as submissions are. They have no rank.</p>
          <ul>
            {challenge.anchors.map((one) => (
              <li key={one.model}>
                {one.model_name}: {scoreText(one.overall, one.uncertainty)}
                {versionText(one)}
              </li>
            ))}
          </ul>
        </>
      )}
      <p class="quiet">
        How well the ranks hold: <Command text={`assay robustness ${challenge.id}`} />
      </p>
    </>
  );
}

function Conclusion({ board, challenge }: { board: Board; challenge: Challenge }) {
  const first = challenge.cells
    .filter((cell) => cell.rank === 1)
    .map((cell) => ({ name: nameOf(board, cell.model), score: cell.overall, uncertainty: cell.uncertainty }));
  const accepted = challenge.cells.filter((cell) => cell.verdict === 'accepted').length;
  return (
    <p class="lead">
      {firstText(first, ` of ${challenge.cells.length}`)} {accepted} of {challenge.cells.length} accepted.
    </p>
  );
}

function columnsOf(board: Board, challenge: Challenge): Column<Challenge['cells'][number]>[] {
  return [
    { id: 'rank', title: 'Rank', key: (cell) => cell.rank, show: (cell) => ranksText(cell.ranks) },
    {
      id: 'model',
      title: 'Model',
      isHead: true,
      key: (cell) => nameOf(board, cell.model),
      show: (cell) => (
        <>
          <a href={pathTo('cell', challenge.id, cell.model)}>{nameOf(board, cell.model)}</a>
          <Marks of={cell} />
        </>
      ),
    },
    {
      id: 'overall',
      title: 'Overall',
      isNumber: true,
      key: (cell) => cell.overall,
      show: (cell) => scoreText(cell.overall, cell.uncertainty),
    },
    { id: 'verdict', title: 'Verdict', key: (cell) => cell.verdict, show: (cell) => <Verdict verdict={cell.verdict} /> },
    {
      id: 'fails',
      title: 'Fails like',
      key: (cell) => cell.fails_like.join('; ') || null,
      show: (cell) => <span class="names">{cell.fails_like.join('; ') || '—'}</span>,
    },
  ];
}

function rubricColumns(challenge: Challenge): Column<Challenge['criteria'][number]>[] {
  const titles = new Map(challenge.dimensions.map((one) => [one.id, one.title]));
  return [
    { id: 'title', title: 'Criterion', isHead: true, key: (one) => one.title },
    { id: 'dimension', title: 'Dimension', key: (one) => titles.get(one.dimension) ?? one.dimension },
    { id: 'value', title: 'Measured as', key: (one) => one.value, show: (one) => <code>{one.value}</code> },
    { id: 'weight', title: 'Weight', isNumber: true, key: (one) => one.weight },
  ];
}
