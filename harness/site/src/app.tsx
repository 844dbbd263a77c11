// SPDX-License-Identifier: Apache-2.0
// The shell: what stands behind `#/…`, and what all pages have.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BoardPage } from './board';
import { CellPage } from './cell';
import { ChallengePage, nameOf } from './challenge';
import type { Board } from './data';
import { Command, Heading, Loading, Medal, pathTo, ranksText, scoreText, Verdict, useData } from './parts';
import { PairPage } from './pair';

/** Ids of the place in the address; what cannot be read is no place. */
function placeNow(): string[] {
  try {
    return location.hash.replace(/^#\/?/, '').split('/').filter(Boolean).map(decodeURIComponent);
  } catch {
    return ['?'];
  }
}

function usePlace(): string[] {
  const [place, go] = useState(placeNow);
  useEffect(() => {
    const follow = () => go(placeNow());
    window.addEventListener('hashchange', follow);
    return () => window.removeEventListener('hashchange', follow);
  }, []);
  return place;
}

function Page({ board, place }: { board: Board; place: string[] }) {
  const [kind, first, second] = place;
  const challenge = board.challenges.find((one) => one.id === first);
  const isModel = (id: string | undefined): id is string => board.standings.some((one) => one.model === id);
  if (kind === undefined) {
    return <BoardPage board={board} />;
  }
  if (kind === 'challenge' && challenge) {
    return <ChallengePage key={challenge.id} board={board} challenge={challenge} />;
  }
  if (kind === 'cell' && challenge && challenge.cells.some((cell) => cell.model === second)) {
    return <CellPage key={place.join('/')} board={board} challenge={challenge} model={second!} />;
  }
  if (kind === 'model' && isModel(first)) {
    return <ModelPage key={first} board={board} model={first} />;
  }
  if (kind === 'pair' && isModel(first) && isModel(second)) {
    return <PairPage key={place.join('/')} board={board} a={first} b={second} />;
  }
  return (
    <>
      <Heading title="No such page">There is no such page</Heading>
      <p>
        <a href="#/">The scoreboard</a> leads to all there are.
      </p>
    </>
  );
}

function ModelPage({ board, model }: { board: Board; model: string }) {
  const name = nameOf(board, model);
  const cells = board.challenges.flatMap((challenge) =>
    challenge.cells.filter((cell) => cell.model === model).map((cell) => ({ challenge, cell })),
  );
  const other = board.standings.find((one) => one.model !== model);
  const standing = board.standings.find((one) => one.model === model);
  return (
    <>
      <Heading title={name}>{name}</Heading>
      {standing && (
        <p class="lead">
          Rank {ranksText(standing.ranks)} of {board.standings.length} <Medal medal={standing.medal} />, on average{' '}
          {scoreText(standing.average, standing.uncertainty)}; without authored rows{' '}
          {scoreText(standing.without_authored.score, standing.without_authored.uncertainty)}.
        </p>
      )}
      <ul>
        {cells.map(({ challenge, cell }) => (
          <li key={challenge.id}>
            <a href={pathTo('cell', challenge.id, model)}>{challenge.title}</a>: {scoreText(cell.overall, cell.uncertainty)},{' '}
            <Verdict verdict={cell.verdict} />
            {cell.fails_like.length > 0 && <>; fails like {cell.fails_like.join('; ')}</>}
          </li>
        ))}
      </ul>
      {standing && (
        <p class="quiet">
          The same on a terminal: <Command text={`assay explain ${model}`} />
        </p>
      )}
      {other && (
        <p>
          <a href={pathTo('pair', model, other.model)}>Head to head with another model</a>
        </p>
      )}
    </>
  );
}

function App() {
  const place = usePlace();
  const { data: board, error } = useData<Board>('board');
  const pair = board?.pairs[0];
  useEffect(() => {
    if (board) {
      // In the frame in which it is seen: `npm run bench` reads it.
      requestAnimationFrame(() => performance.mark('assay-board'));
    }
  }, [board]);
  return (
    <>
      <a class="skip" href="#main" onClick={(event) => {
        event.preventDefault();
        document.querySelector<HTMLElement>('h1')?.focus();
      }}>
        To the content
      </a>
      <header>
        <a class="brand" href="#/">
          Assay
        </a>
        <nav aria-label="Pages">
          <ul>
            <li>
              <a href="#/">Scoreboard</a>
            </li>
            {(board?.challenges ?? []).slice(0, 8).map((one) => (
              <li key={one.id}>
                <a href={pathTo('challenge', one.id)}>{one.title}</a>
              </li>
            ))}
            {pair && (
              <li>
                <a href={pathTo('pair', ...pair)}>Head to head</a>
              </li>
            )}
          </ul>
        </nav>
      </header>
      <main id="main">{board ? <Page board={board} place={place} /> : <Loading error={error} />}</main>
    </>
  );
}

render(<App />, document.getElementById('app')!);
