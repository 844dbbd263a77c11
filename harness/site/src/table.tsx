// SPDX-License-Identifier: Apache-2.0
// A table that sorts by any column. Of many rows only those in sight are in the page: a thousand
// models sort as fast as ten.
import {
  Virtualizer,
  elementScroll,
  observeElementOffset,
  observeElementRect,
} from '@tanstack/virtual-core';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';

export interface Column<Item> {
  id: string;
  title: string;
  /** What rows are sorted by; null is always last. */
  key: (item: Item) => number | string | null;
  /** What is shown; without it the key. */
  show?: (item: Item) => ComponentChildren;
  /** Numbers stand right, and are sorted from the largest first. */
  isNumber?: boolean;
  /** Sorted as a number, and stands left: words with a number. */
  isText?: boolean;
  /** Says what the row is about. */
  isHead?: boolean;
}

type Direction = 'ascending' | 'descending';
export interface Sorting {
  column: string;
  direction: Direction;
}

const kRow_px = 38;
const kMostWhole = 150; // Rows; more are shown through a window.

export function sorted<Item>(items: Item[], columns: Column<Item>[], by: Sorting | null): Item[] {
  const column = columns.find((one) => one.id === by?.column);
  if (!by || !column) {
    return items;
  }
  const sign = by.direction === 'ascending' ? 1 : -1;
  const order = new Intl.Collator('en', { numeric: true });
  const keyed = items.map((item, index) => ({ item, index, key: column.key(item) }));
  keyed.sort((a, b) => {
    if (a.key === null || b.key === null) {
      return a.key === b.key ? a.index - b.index : a.key === null ? 1 : -1;
    }
    const difference =
      typeof a.key === 'number' && typeof b.key === 'number'
        ? a.key - b.key
        : order.compare(String(a.key), String(b.key));
    return difference === 0 ? a.index - b.index : sign * difference;
  });
  return keyed.map((one) => one.item);
}

function useWindow(count: number, scroller: { current: HTMLElement | null }) {
  const [, again] = useState(0);
  const made = useRef<Virtualizer<HTMLElement, HTMLElement> | null>(null);
  const options = {
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => kRow_px,
    overscan: 12,
    initialRect: { width: 800, height: 700 },
    observeElementRect,
    observeElementOffset,
    scrollToFn: elementScroll,
    onChange: () => again((n) => n + 1),
  };
  made.current ??= new Virtualizer(options);
  const virtualizer = made.current;
  virtualizer.setOptions(options);
  useLayoutEffect(() => virtualizer._didMount(), [virtualizer]);
  useLayoutEffect(() => virtualizer._willUpdate());
  return virtualizer;
}

export function Table<Item>({
  caption,
  columns,
  items,
  start = null,
  keyOf,
}: {
  caption: string;
  columns: Column<Item>[];
  items: Item[];
  start?: Sorting | null;
  keyOf: (item: Item) => string;
}) {
  const [by, sort] = useState<Sorting | null>(start);
  const rows = useMemo(() => sorted(items, columns, by), [items, columns, by]);
  const scroller = useRef<HTMLDivElement>(null);
  const isWhole = rows.length <= kMostWhole;
  const virtualizer = useWindow(isWhole ? 0 : rows.length, scroller);
  const shown = isWhole ? [] : virtualizer.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = isWhole ? rows.length : (shown[shown.length - 1]?.index ?? -1) + 1;

  const turn = (column: Column<Item>) => {
    const usual: Direction = column.isNumber ? 'descending' : 'ascending';
    const other: Direction = column.isNumber ? 'ascending' : 'descending';
    const isAgain = by?.column === column.id && by.direction === usual;
    sort({ column: column.id, direction: isAgain ? other : usual });
    scroller.current?.scrollTo({ top: 0 });
  };
  return (
    <div
      class={isWhole ? 'scroller' : 'scroller window'}
      ref={scroller}
      tabIndex={0}
      role="region"
      aria-label={caption}
    >
      <table aria-rowcount={rows.length + 1}>
        <caption>{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th
                key={column.id}
                scope="col"
                class={column.isNumber && !column.isText ? 'number' : ''}
                aria-sort={by?.column === column.id ? by.direction : 'none'}
              >
                <button type="button" onClick={() => turn(column)}>
                  {column.title}
                  <span aria-hidden="true" class="arrow">
                    {by?.column !== column.id ? '↕' : by.direction === 'ascending' ? '↑' : '↓'}
                  </span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height_px={isWhole ? 0 : first * kRow_px} columns={columns.length} />
          {rows.slice(isWhole ? 0 : first, last).map((item, i) => (
            <tr key={keyOf(item)} aria-rowindex={(isWhole ? 0 : first) + i + 2}>
              {columns.map((column) => {
                const content = column.show ? column.show(item) : (column.key(item) ?? '—');
                return column.isHead ? (
                  <th key={column.id} scope="row">
                    {content}
                  </th>
                ) : (
                  <td key={column.id} class={column.isNumber && !column.isText ? 'number' : ''}>
                    {content}
                  </td>
                );
              })}
            </tr>
          ))}
          <Spacer height_px={(rows.length - last) * kRow_px} columns={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

/** In the place of rows that are out of sight. */
function Spacer({ height_px, columns }: { height_px: number; columns: number }) {
  const row = useRef<HTMLTableCellElement>(null);
  useLayoutEffect(() => {
    if (row.current) {
      row.current.style.height = `${height_px}px`;
    }
  });
  return height_px > 0 ? (
    <tr aria-hidden="true" class="spacer">
      <td ref={row} colSpan={columns} />
    </tr>
  ) : null;
}
