// SPDX-License-Identifier: Apache-2.0
// The scoreboard: all models over all challenges, or those of one challenge by dimension.
import { useMemo, useState } from 'preact/hooks';
import type { Board, BoardCell, Challenge, Standing } from './data';
import { Command, Heading, Marks, Medal, Verdict, firstText, kReconstruction, pathTo, ranksText, scoreText, versionText } from './parts';
import { type Column, Table } from './table';

interface Line {
  standing: Standing;
  cells: Map<string, BoardCell>;
}

const kAll = '';

export function linesOf(board: Board): Line[] {
  const lines = board.standings.map((standing) => ({ standing, cells: new Map<string, BoardCell>() }));
  const byModel = new Map(lines.map((line) => [line.standing.model, line]));
  for (const challenge of board.challenges) {
    for (const cell of challenge.cells) {
      byModel.get(cell.model)?.cells.set(challenge.id, cell);
    }
  }
  return lines;
}

/** `challenge`: the one whose cell the marks are of, where it is not all. */
const modelColumn = (challenge?: Challenge): Column<Line> => ({
  id: 'model',
  title: 'Model',
  isHead: true,
  key: (line) => line.standing.model_name,
  show: (line) => (
    <>
      <a href={pathTo('model', line.standing.model)}>{line.standing.model_name}</a>
      <Marks of={(challenge && line.cells.get(challenge.id)) ?? line.standing} />
    </>
  ),
});

/** What the scores of a line do not say, as in the scoreboard of reports. */
function notesOf(board: Board, { standing, cells }: Line): string {
  const notes = board.challenges.flatMap(({ id, title }) => {
    const cell = cells.get(id);
    const faults = cell ? [cell.repaired && 'repaired', cell.verdict !== 'accepted' && cell.verdict].filter(Boolean) : [];
    return faults.length > 0 ? [`${title}: ${faults.join(', ')}`] : [];
  });
  return [...notes, ...(standing.provisional ? ['provisional: a cell has no score'] : [])].join('; ');
}

function cellLink(challenge: Challenge, cell: BoardCell | undefined) {
  return cell ? (
    <a href={pathTo('cell', challenge.id, cell.model)}>{scoreText(cell.overall, cell.uncertainty)}</a>
  ) : (
    '—'
  );
}

function columnsOfAll(board: Board): Column<Line>[] {
  return [
    {
      id: 'rank',
      title: 'Rank',
      key: (line) => line.standing.rank,
      show: ({ standing }) => (
        <>
          {ranksText(standing.ranks)} <Medal medal={standing.medal} />
        </>
      ),
    },
    modelColumn(),
    {
      id: 'average',
      title: 'Average',
      isNumber: true,
      key: (line) => line.standing.average,
      show: ({ standing }) => scoreText(standing.average, standing.uncertainty),
    },
    {
      id: 'without',
      title: 'Without ‡',
      isNumber: true,
      key: (line) => line.standing.without_authored.score,
      show: ({ standing }) =>
        scoreText(standing.without_authored.score, standing.without_authored.uncertainty),
    },
    ...board.challenges.map((challenge) => ({
      id: challenge.id,
      title: challenge.title,
      isNumber: true,
      key: (line: Line) => line.cells.get(challenge.id)?.overall ?? null,
      show: (line: Line) => cellLink(challenge, line.cells.get(challenge.id)),
    })),
    {
      id: 'notes',
      title: 'Notes',
      key: (line) => notesOf(board, line) || null,
      show: (line) => <span class="names">{notesOf(board, line)}</span>,
    },
  ];
}

function columnsOfOne(challenge: Challenge): Column<Line>[] {
  const cellOf = (line: Line) => line.cells.get(challenge.id);
  return [
    {
      id: 'rank',
      title: 'Rank',
      key: (line) => cellOf(line)?.rank ?? null,
      show: (line) => (
        <>
          {ranksText(cellOf(line)?.ranks ?? null)} <Medal medal={cellOf(line)?.medal ?? 'none'} />
        </>
      ),
    },
    modelColumn(challenge),
    {
      id: 'overall',
      title: 'Overall',
      isNumber: true,
      key: (line) => cellOf(line)?.overall ?? null,
      show: (line) => cellLink(challenge, cellOf(line)),
    },
    {
      id: 'verdict',
      title: 'Verdict',
      key: (line) => cellOf(line)?.verdict ?? null,
      show: (line) => <Verdict verdict={cellOf(line)?.verdict ?? '—'} />,
    },
    ...challenge.dimensions.map((dimension, i) => ({
      id: dimension.id,
      title: dimension.title,
      isNumber: true,
      key: (line: Line) => cellOf(line)?.dimensions[i]?.[0] ?? null,
      show: (line: Line) => {
        const score = cellOf(line)?.dimensions[i];
        return score ? scoreText(score[0], score[1]) : '—';
      },
    })),
  ];
}

/** Words in names and ids, in any order. */
function matches(line: Line, words: string[]): boolean {
  const text = `${line.standing.model_name} ${line.standing.model}`.toLowerCase();
  return words.every((word) => text.includes(word));
}

export function BoardPage({ board }: { board: Board }) {
  const [text, setText] = useState('');
  const [challengeId, setChallenge] = useState(kAll);
  const [verdict, setVerdict] = useState(kAll);
  const [onlyOwn, setOnlyOwn] = useState(false);
  const challenge = board.challenges.find((one) => one.id === challengeId);
  const all = useMemo(() => linesOf(board), [board]);
  const columns = useMemo(
    () => (challenge ? columnsOfOne(challenge) : columnsOfAll(board)),
    [board, challenge],
  );
  const lines = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return all.filter((line) => {
      const cells = challenge ? [line.cells.get(challenge.id)] : [...line.cells.values()];
      return (
        matches(line, words) &&
        (!onlyOwn || !line.standing.reconstruction) &&
        (!challenge || cells[0] !== undefined) &&
        (verdict === kAll || cells.some((cell) => cell?.verdict === verdict))
      );
    });
  }, [all, text, challenge, verdict, onlyOwn]);
  const verdicts = useMemo(
    () => [...new Set(board.challenges.flatMap((one) => one.cells.map((cell) => cell.verdict)))].sort(),
    [board],
  );
  const anchors = challenge?.anchors ?? [];
  const first = board.standings
    .filter((standing) => standing.rank === 1)
    .map((standing) => ({ name: standing.model_name, score: standing.average, uncertainty: standing.uncertainty }));
  return (
    <>
      <Heading title="Scoreboard">Scoreboard</Heading>
      {first.length > 0 && <p class="lead">{firstText(first)}</p>}
      <p>
        {board.standings.length} models, {board.challenges.length} challenges. A score is out of 100, with what
        it could be by chance; ranks that cannot be told apart are given as a range.
      </p>
      <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
        <label>
          Model
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <label>
          Challenge
          <select value={challengeId} onChange={(event) => setChallenge(event.currentTarget.value)}>
            <option value={kAll}>all</option>
            {board.challenges.map((one) => (
              <option key={one.id} value={one.id}>
                {one.title}
              </option>
            ))}
          </select>
        </label>
        <label>
          Verdict
          <select value={verdict} onChange={(event) => setVerdict(event.currentTarget.value)}>
            <option value={kAll}>any</option>
            {verdicts.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="check">
          <input type="checkbox" checked={onlyOwn} onChange={(event) => setOnlyOwn(event.currentTarget.checked)} />
          no reconstructions
        </label>
        <p role="status">
          {lines.length} of {all.length} models
        </p>
      </form>
      {challenge && (
        <p>
          <a href={pathTo('challenge', challenge.id)}>More of {challenge.title}</a>: pictures and criteria.
        </p>
      )}
      <Table
        key={challengeId}
        caption={challenge ? challenge.title : 'All challenges'}
        columns={columns}
        items={lines}
        start={{ column: 'rank', direction: 'ascending' }}
        keyOf={(line) => line.standing.model}
      />
      {anchors.length > 0 && (
        <p class="quiet">
          Anchors, the zero and the hundred of the scale:{' '}
          {anchors.map((one) => `${one.model_name} ${scoreText(one.overall, one.uncertainty)}${versionText(one)}`).join('; ')}.
        </p>
      )}
      <p class="quiet">
        † {kReconstruction} ‡ Without the rows that measure what its authors wrote to that description.
      </p>
      {board.left_out.length > 0 && <p class="quiet">Left out: {board.left_out.join('; ')}.</p>}
      <p class="quiet">
        The same on a terminal: <Command text="assay list" />
      </p>
    </>
  );
}
