// SPDX-License-Identifier: Apache-2.0
// Small pieces that pages share. Text reaches the page as text nodes and attributes that preact sets:
// nowhere is a string parsed as markup.
import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { type Anchor, type Ranks, type Score, load } from './data';

/**
 * As reports print it: of a value just between two, the one with the even digit, where toFixed takes the
 * larger. Only odd multiples of 1/2^(digits + 1) lie so.
 */
export function fixed(value: number, digits: number): string {
  const isBetween = Math.abs(value * 2 ** (digits + 1)) % 2 === 1;
  const below = Math.trunc(value * 10 ** digits);
  return (isBetween && below % 2 === 0 ? below / 10 ** digits : value).toFixed(digits);
}
export const number = (value: number): string => fixed(value, 1);

/** A share of a whole, rounded down: 100 % means all. */
export const percent = (share: number): string => `${Math.floor(100 * share + 1e-9)} %`;

/** `87.8 ± 1.1`; `87.8` where it is exact. */
export function scoreText(score: Score, uncertainty: Score): string {
  if (score === null) {
    return '—';
  }
  return !uncertainty ? number(score) : `${number(score)} ± ${number(uncertainty)}`;
}

/** `A is first with 87.5 ± 1.1.`; those of one rank: `A, B are first with 87.5.` */
export function firstText(
  first: { name: string; score: Score; uncertainty: Score }[],
  ofHowMany = '',
): string {
  const [one] = first;
  if (!one) {
    return '';
  }
  if (first.length === 1) {
    return `${one.name} is first${ofHowMany} with ${scoreText(one.score, one.uncertainty)}.`;
  }
  const shown = first.slice(0, 3).map(({ name }) => name);
  const more = first.length > shown.length ? ` and ${first.length - shown.length} more` : '';
  return `${shown.join(', ')}${more} are first${ofHowMany} with ${scoreText(one.score, null)}.`;
}

/** Behind the score of an anchor. */
export const versionText = (anchor: Anchor): string =>
  anchor.of_another_version ? ' (of another version of the challenge)' : '';

export function ranksText(ranks: Ranks): string {
  return ranks === null ? '—' : ranks[0] === ranks[1] ? `${ranks[0]}` : `${ranks[0]} to ${ranks[1]}`;
}

export function Medal({ medal }: { medal: 'gold' | 'silver' | 'bronze' | 'none' }) {
  return medal === 'none' ? null : <span class={`medal ${medal}`}>{medal}</span>;
}

/** Behind a name, as in reports. */
export function Marks({ of }: { of: { reconstruction: boolean; repaired?: boolean } }) {
  return (
    <>
      {of.reconstruction && ' †'}
      {of.repaired && ' (repaired)'}
    </>
  );
}

export const kReconstruction = 'A reconstruction: written from a published description, with its features and its bugs.';

/** The word and a colour; the colour alone says nothing. */
export function Verdict({ verdict }: { verdict: string }) {
  const kind = verdict === 'accepted' ? 'good' : verdict === 'skipped' ? 'neutral' : 'bad';
  return <span class={`verdict ${kind}`}>{verdict}</span>;
}

/** A number as evidence has it: JSON has no infinity, which is `inf`. */
export type Quantity = number | string | null;
/** To four digits; what was counted is exact. */
export function figure(value: Quantity): string {
  if (value === null || typeof value === 'string') {
    return value ?? '—';
  }
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(4)));
}
export const sortable = (value: Quantity): number | null =>
  value === null || value === 'nan' ? null : value === 'inf' ? Infinity : value === '-inf' ? -Infinity : Number(value);

/** Of `#/…`: parts are ids. */
export const pathTo = (...parts: string[]): string => `#/${parts.map(encodeURIComponent).join('/')}`;

/** A command to be typed, with a button that copies it. */
export function Command({ text }: { text: string }) {
  const code = useRef<HTMLElement>(null);
  const [said, say] = useState('');
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      say('copied');
    } catch {
      // No clipboard for a page from a disk: then it is marked, to be copied by hand.
      const selection = window.getSelection();
      if (code.current && selection) {
        selection.selectAllChildren(code.current);
      }
      say('marked');
    }
  };
  return (
    <span class="command">
      <code ref={code}>{text}</code>
      <button type="button" onClick={copy} aria-label={`Copy ${text}`}>
        Copy
      </button>
      <span role="status">{said}</span>
    </span>
  );
}

/** What `name` holds, once it is there. Focus goes to the heading of a page that came. */
export function useData<T>(name: string): { data?: T; error?: string } {
  const [state, set] = useState<{ name: string; data?: T; error?: string }>({ name });
  useEffect(() => {
    let isWanted = true;
    load<T>(name).then(
      (data) => isWanted && set({ name, data }),
      (error: Error) => isWanted && set({ name, error: error.message }),
    );
    return () => {
      isWanted = false;
    };
  }, [name]);
  return state.name === name ? state : {};
}

export function Loading({ error }: { error?: string }) {
  return error ? (
    <p role="alert">{error}</p>
  ) : (
    <p role="status" class="quiet">
      Loading…
    </p>
  );
}

/**
 * The heading of a page that came: it takes the focus, so that a screen reader reads it. A page whose title
 * changes while it is there leaves the focus with what was used.
 */
export function Heading({ children, title }: { children: ComponentChildren; title: string }) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Assay`;
  }, [title]);
  useEffect(() => heading.current?.focus(), []);
  return (
    <h1 tabIndex={-1} ref={heading}>
      {children}
    </h1>
  );
}

/** What the sign of a row means, below what has such rows. */
export function AuthoredNote() {
  return <p class="quiet">‡ Measures what its authors wrote beside the code.</p>;
}

/** Opens below its summary; what it holds is made when it is opened first. */
export function Fold({ summary, children }: { summary: ComponentChildren; children: () => ComponentChildren }) {
  const [was, open] = useState(false);
  return (
    <details onToggle={(event) => event.currentTarget.open && open(true)}>
      <summary>{summary}</summary>
      {was && children()}
    </details>
  );
}
