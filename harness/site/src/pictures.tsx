// SPDX-License-Identifier: Apache-2.0
// Pictures that answer to the mouse and to the keyboard: each point says its numbers, and a table below
// has them all. Series differ in shape as well as in colour (Okabe and Ito 2008).
import { scaleLinear, scaleLog } from 'd3-scale';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Challenge, Pictures } from './data';
import { Fold, figure, number } from './parts';

/** A point with what it says, and the interval that it lies in. */
interface Mark {
  x: number;
  y: number;
  says: string;
  low?: number;
  high?: number;
}
interface Series {
  name: string;
  marks: Mark[];
}

// Pixels. A picture has the width of its place up to kWidest, from where it is scaled: its letters are never
// smaller than those of app.css.
const kWidest = 860;
const kNarrow = 600; // Below it, names of rows break into lines, and axes have fewer ticks.
const kLeast = 240;
const kRight = 24;
const kBottom = 46;
const kTop = 14;

const shapes = [
  (r: number) => `M ${-r},0 a ${r},${r} 0 1,0 ${2 * r},0 a ${r},${r} 0 1,0 ${-2 * r},0`,
  (r: number) => `M ${-r},${-r} h ${2 * r} v ${2 * r} h ${-2 * r} z`,
  (r: number) => `M 0,${-r * 1.2} L ${r * 1.1},${r} L ${-r * 1.1},${r} z`,
  (r: number) => `M 0,${-r * 1.3} L ${r * 1.3},0 L 0,${r * 1.3} L ${-r * 1.3},0 z`,
  (r: number) => `M 0,${r * 1.2} L ${r * 1.1},${-r} L ${-r * 1.1},${-r} z`,
  (r: number) => `M ${-r},${-r} L ${r},${r} M ${-r},${r} L ${r},${-r}`,
];

type Scale = { (value: number): number; ticks: (count?: number) => number[] };

/** About `most` of them: a log scale gives all nine of each decade, of which 1, 2 and 5 or 1 may be enough. */
function ticksOf(scale: Scale, most: number): number[] {
  const ticks = scale.ticks(most);
  const leading = (tick: number) => Math.round(tick / 10 ** Math.floor(Math.log10(tick) + 1e-9));
  const few = ticks.length <= most * 2 ? ticks : ticks.filter((tick) => [1, 2, 5].includes(leading(tick)));
  return few.length <= most * 2 ? few : ticks.filter((tick) => leading(tick) === 1);
}

/** For axes, which have little room; marks say their numbers by `figure`. */
const short = (value: number): string =>
  value !== 0 && (Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3)
    ? value.toExponential(0)
    : String(Number(value.toPrecision(3)));

function Legend({ series }: { series: Series[] }) {
  return (
    <ul class="legend">
      {series.map((one, i) => (
        <li key={one.name}>
          <svg width="16" height="16" viewBox="-8 -8 16 16" aria-hidden="true" class={`series s${i}`}>
            <path d={shapes[i % shapes.length]!(5)} />
          </svg>
          {one.name}
        </li>
      ))}
    </ul>
  );
}

/** The place of the plot in its picture. */
interface Frame {
  width: number;
  left: number;
  right: number;
  isNarrow: boolean;
}

function frameOf(width: number, rows: string[] | undefined): Frame {
  const isNarrow = width < kNarrow;
  return { width, left: isNarrow ? (rows ? 124 : 56) : 190, right: width - kRight, isNarrow };
}

/** The width of what `place` is put on. */
function useWidth() {
  const place = useRef<HTMLDivElement>(null);
  const [width, set] = useState(kWidest);
  useLayoutEffect(() => {
    const element = place.current;
    if (!element) {
      return undefined;
    }
    const measure = () => set(Math.min(kWidest, Math.max(kLeast, element.clientWidth)));
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, []);
  return { place, width };
}

const kLetters = 14; // That fit beside a narrow plot.

/** A name in at most two lines, broken after a space, `/` or `_` where there is one. */
function inLines(name: string, isNarrow: boolean): string[] {
  if (!isNarrow || name.length <= kLetters) {
    return [name.slice(0, 28)];
  }
  const breaks = [...name.slice(0, kLetters).matchAll(/[ /_]/g)].map((one) => one.index + 1);
  const at = breaks[breaks.length - 1] ?? kLetters;
  return [name.slice(0, at), name.slice(at, at + kLetters)];
}

/**
 * The frame, its axes, and points with their whiskers. `rows` names places on the vertical axis; `x` is
 * made for the range that there is.
 */
function Plot({
  title,
  series,
  x: scaleOver,
  y,
  rows,
  xLabel,
  height,
  lines,
  under,
}: {
  title: string;
  series: Series[];
  x: (range: [number, number]) => Scale;
  y: Scale;
  rows?: string[];
  xLabel: string;
  height: number;
  lines?: boolean;
  under?: (x: Scale) => ComponentChildren;
}) {
  const [said, say] = useState('');
  const { place, width } = useWidth();
  const drawn = series.filter((one) => one.marks.length > 0);
  if (drawn.length === 0) {
    return null;
  }
  const { left, right, isNarrow } = frameOf(width, rows);
  const x = scaleOver([left, right]);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <Legend series={series} />
      <div class="picture" ref={place}>
        <svg viewBox={`0 0 ${width} ${height}`} role="group" aria-label={title}>
          {ticksOf(x, isNarrow ? 4 : 7).map((tick) => (
            <g key={tick} class="tick">
              <line x1={x(tick)} x2={x(tick)} y1={kTop} y2={height - kBottom} />
              <text x={x(tick)} y={height - kBottom + 18} text-anchor="middle">
                {short(tick)}
              </text>
            </g>
          ))}
          {(rows ? rows.map((_, i) => i) : ticksOf(y, 6)).map((tick) => (
            <g key={tick} class="tick">
              <line x1={left} x2={right} y1={y(tick)} y2={y(tick)} />
              {(rows ? inLines(rows[tick] ?? '', isNarrow) : [short(tick)]).map((line, i, all) => (
                <text key={i} x={left - 8} y={y(tick) + 4 + 15 * (i - (all.length - 1) / 2)} text-anchor="end">
                  {line}
                </text>
              ))}
            </g>
          ))}
          <text class="label" x={isNarrow ? width / 2 : (left + right) / 2} y={height - 6} text-anchor="middle">
            {xLabel}
          </text>
          {under?.(x)}
          {series.map((one, i) => (
            <g key={one.name} class={`series s${i}`}>
              {lines && one.marks.length > 1 && <path class="line" d={`M ${one.marks.map((m) => `${x(m.x)},${y(m.y)}`).join(' L ')}`} />}
              {one.marks.map((mark) => (
                <g key={mark.says}>
                  {mark.low !== undefined && mark.high !== undefined && (
                    <line x1={x(mark.low)} x2={x(mark.high)} y1={y(mark.y)} y2={y(mark.y)} />
                  )}
                  <g
                    class="mark"
                    role="img"
                    tabIndex={0}
                    aria-label={`${one.name}, ${mark.says}`}
                    transform={`translate(${x(mark.x)} ${y(mark.y)})`}
                    onFocus={() => say(`${one.name}: ${mark.says}`)}
                    onMouseEnter={() => say(`${one.name}: ${mark.says}`)}
                    onMouseLeave={() => say('')}
                    onBlur={() => say('')}
                  >
                    <circle class="reach" r="11" />
                    <path d={shapes[i % shapes.length]!(5)} />
                  </g>
                </g>
              ))}
            </g>
          ))}
        </svg>
      </div>
      <p class="said" aria-hidden="true">
        {said || 'Point at a mark, or tab to it, for its numbers.'}
      </p>
      <Fold summary="The same as a table">
        {() => (
          <ul>
            {drawn.flatMap((one) => one.marks.map((mark) => <li key={one.name + mark.says}>{`${one.name}: ${mark.says}`}</li>))}
          </ul>
        )}
      </Fold>
    </figure>
  );
}

/** Rows of a picture, the first on top, and where a series lies in its row. */
function rowScale(count: number): { y: Scale; height: number } {
  const height = kTop + kBottom + 44 * count;
  return { y: scaleLinear([-0.5, count - 0.5], [kTop, height - kBottom]), height };
}
const besideRow = (row: number, series: number, count: number): number => row + (series - (count - 1) / 2) * 0.17;

export function ScoresPicture({ challenge, names }: { challenge: Challenge; names: string[] }) {
  const cells = challenge.cells.slice(0, names.length);
  const series = cells.map((cell, i) => ({
    name: names[i]!,
    marks: cell.dimensions.flatMap(([score, uncertainty], row) =>
      score === null
        ? []
        : [
            {
              x: score,
              y: besideRow(row, i, cells.length),
              low: Math.max(0, score - (uncertainty ?? 0)),
              high: Math.min(100, score + (uncertainty ?? 0)),
              says: `${challenge.dimensions[row]!.title} ${number(score)} ± ${number(uncertainty ?? 0)}`,
            },
          ],
    ),
  }));
  const { y, height } = rowScale(challenge.dimensions.length);
  return (
    <Plot
      title="Scores by dimension, with what they could be by chance"
      series={series}
      x={(range) => scaleLinear([0, 100], range)}
      y={y}
      rows={challenge.dimensions.map((one) => one.title)}
      xLabel="score"
      height={height}
    />
  );
}

export function TimesPicture({ pictures, names }: { pictures: Pictures; names: string[] }) {
  const { workloads, series: times } = pictures.times;
  const all = times.flatMap((one) => one.points.flatMap(([, , low, high]) => [low, high])).concat(1);
  const series = times.map((one, i) => ({
    name: names[i]! + (one.why_untrusted ? ' (untrusted)' : ''),
    marks: one.points.map(([workload, ratio, low, high]) => ({
      x: ratio,
      y: besideRow(workload, i, times.length),
      low,
      high,
      says: `${workloads[workload]} ${figure(ratio)} times the baseline, ${figure(low)} to ${figure(high)}`,
    })),
  }));
  const { y, height } = rowScale(workloads.length);
  const whys = [...new Set(times.map((one) => one.why_untrusted).filter(Boolean))];
  return (
    <>
      <Plot
        title="Times over the baseline's, with 95 % intervals"
        series={series}
        x={(range) => scaleLog([Math.min(...all) * 0.8, Math.max(...all) * 1.25], range)}
        y={y}
        rows={workloads}
        xLabel="time over the baseline's (less is faster)"
        height={height}
        under={(x) => <line class="even" x1={x(1)} x2={x(1)} y1={kTop} y2={height - kBottom} />}
      />
      {whys.length > 0 && <p class="quiet">Untrusted: {whys.join('; ')}.</p>}
    </>
  );
}

export function CurvePicture({ curve, names }: { curve: Pictures['curves'][number]; names: string[] }) {
  const points = curve.series.flat();
  const height = 380;
  return (
    <Plot
      title={curve.title}
      series={curve.series.map((one, i) => ({
        name: names[i]!,
        marks: one.map(([x, y]) => ({ x, y, says: `${figure(y)} at ${figure(x)}` })),
      }))}
      x={(range) =>
        scaleLog([Math.min(...points.map((p) => p[0])) / 1.3, Math.max(...points.map((p) => p[0])) * 1.3], range)
      }
      y={scaleLog(
        [Math.min(...points.map((p) => p[1])) / 1.5, Math.max(...points.map((p) => p[1])) * 1.5],
        [height - kBottom, kTop],
      )}
      xLabel={curve.unit}
      height={height}
      lines
    />
  );
}

export function RooflinePicture({ pictures, names }: { pictures: Pictures; names: string[] }) {
  const roofline = pictures.roofline;
  if (!roofline) {
    return null;
  }
  const points = roofline.series.flat();
  const knee = roofline.f32_flops_per_s / roofline.dram_bytes_per_s;
  const least = Math.min(knee / 10, ...points.map((p) => p[0] / 2));
  const most = Math.max(knee * 10, ...points.map((p) => p[0] * 2));
  const lowest = Math.min(least * roofline.dram_bytes_per_s, ...points.map((p) => p[1]));
  const height = 380;
  const y = scaleLog([lowest / 1.5, roofline.f32_flops_per_s * 1.5], [height - kBottom, kTop]);
  const roof = [
    [least, least * roofline.dram_bytes_per_s],
    [knee, roofline.f32_flops_per_s],
    [most, roofline.f32_flops_per_s],
  ] as const;
  return (
    <Plot
      title={`Kernels below the roof of ${roofline.gpu}: f32 operations a second (modelled from counters)`}
      series={roofline.series.map((one, i) => ({
        name: names[i]!,
        marks: one.map(([intensity, rate]) => ({
          x: intensity,
          y: rate,
          says: `${figure(intensity)} operations a byte, ${figure(rate)} a second`,
        })),
      }))}
      x={(range) => scaleLog([least, most], range)}
      y={y}
      xLabel="f32 operations for each byte of DRAM traffic"
      height={height}
      under={(x) => <path class="even" d={`M ${roof.map(([a, b]) => `${x(a)},${y(b)}`).join(' L ')}`} />}
    />
  );
}
