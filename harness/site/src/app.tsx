// SPDX-License-Identifier: Apache-2.0
// The shell: what stands behind `#/…`, and what all pages have.
import { render } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { BoardPage } from './board';
import { CellPage } from './cell';
import { ChallengePage } from './challenge';
import type { Board } from './data';
import { ModelPage } from './model';
import { Heading, Loading, pathTo, useData } from './parts';
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
  const [kind, first, second, third] = place;
  const challenge = board.challenges.find((one) => one.id === first);
  const isModel = (id: string | undefined): id is string => board.standings.some((one) => one.model === id);
  if (kind === undefined) {
    return <BoardPage board={board} />;
  }
  if (kind === 'challenge' && challenge) {
    return <ChallengePage key={challenge.id} board={board} challenge={challenge} />;
  }
  if (kind === 'cell' && challenge && challenge.cells.some((cell) => cell.model === second)) {
    return <CellPage key={place.join('/')} board={board} challenge={challenge} model={second!} row={third} />;
  }
  if (kind === 'model' && isModel(first)) {
    return <ModelPage key={first} board={board} model={first} />;
  }
  if (kind === 'pair' && isModel(first) && isModel(second)) {
    return <PairPage key="pair" board={board} a={first} b={second} />;
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
