// SPDX-License-Identifier: Apache-2.0
// One cell: where its points went, row by row, and the evidence behind each.
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Board, Cell, Challenge, Row } from './data';
import { EvidenceSection } from './evidence';
import { AuthoredNote, Command, Fold, Heading, Loading, Verdict, fixed, number, pathTo, percent, scoreText, useData } from './parts';
import { nameOf } from './challenge';
import { type Column, Table } from './table';

/** `row`: the criterion whose evidence is open from the beginning. */
export function CellPage({
  board,
  challenge,
  model,
  row,
}: {
  board: Board;
  challenge: Challenge;
  model: string;
  row: string | undefined;
}) {
  const { data: cell, error } = useData<Cell>(`cells/${challenge.id}/${model}`);
  const title = `${nameOf(board, model)}: ${challenge.title}`;
  return (
    <>
      <Heading title={title}>{title}</Heading>
      {cell ? <CellBody challenge={challenge} cell={cell} row={row} /> : <Loading error={error} />}
    </>
  );
}

function CellBody({ challenge, cell, row }: { challenge: Challenge; cell: Cell; row: string | undefined }) {
  const of = `${cell.model}/${challenge.id}`;
  return (
    <>
      <p>
        <strong>{scoreText(cell.overall, cell.uncertainty)}</strong>, <Verdict verdict={cell.verdict} />
        {cell.repaired && ', repaired'}
        {cell.reconstruction && ', a reconstruction'}. Measured: {percent(cell.coverage)} of the weight.{' '}
        <a href={pathTo('model', cell.model)}>All cells of this model</a>,{' '}
        <a href={pathTo('challenge', challenge.id)}>all of this challenge</a>.
      </p>
      {cell.penalty > 0 && <p>-{number(cell.penalty)} penalty: repaired.</p>}
      {cell.verdict_detail && <p class="detail">{cell.verdict_detail}</p>}
      <ul class="commands">
        <li>
          The same on a terminal: <Command text={`assay explain ${of} --all`} />
        </li>
        <li>
          Grade it again, with the same seed:{' '}
          <Command text={`assay grade ${of} --force --seed=${cell.evidence.environment.seed}`} />
        </li>
      </ul>
      <Diagnosis cell={cell} />
      <Criteria challenge={challenge} cell={cell} row={row} />
      <EvidenceSection cell={cell} of={of} />
    </>
  );
}

function Diagnosis({ cell }: { cell: Cell }) {
  const diagnosis = cell.diagnosis;
  if (!diagnosis || diagnosis.failing === 0) {
    return null;
  }
  return (
    <>
      <h2>Diagnosis</h2>
      <p>Of the cases that decide the verdict {diagnosis.failing} fail,</p>
      <ul>
        {diagnosis.fails_like.map((one) => (
          <li key={one.says}>
            like {one.says}
            <Fold summary="These cases">
              {() => (
                <>
                  <p>For: {one.cases_for.join(', ') || 'none'}.</p>
                  <p>Against: {one.cases_against.join(', ') || 'none'}.</p>
                </>
              )}
            </Fold>
          </li>
        ))}
        {diagnosis.unexplained.length > 0 && <li>like no known bug: {diagnosis.unexplained.join(', ')}</li>}
      </ul>
    </>
  );
}

function Criteria({ challenge, cell, row }: { challenge: Challenge; cell: Cell; row: string | undefined }) {
  const [dimension, setDimension] = useState('');
  const [open, setOpen] = useState<string | null>(row ?? null);
  const rows = useMemo(
    () => cell.criteria.filter((one) => dimension === '' || one.dimension === dimension),
    [cell, dimension],
  );
  const titles = useMemo(() => new Map(challenge.dimensions.map((one) => [one.id, one.title])), [challenge]);
  const columns = useMemo(() => rowColumns(titles, setOpen), [titles]);
  const chosen = cell.criteria.find((one) => one.id === open);
  const evidence = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // Below a long table: who followed a link to a row wants to see it.
    if (cell.criteria.some((one) => one.id === row)) {
      evidence.current?.scrollIntoView();
    }
  }, [cell, row]);
  return (
    <>
      <h2>Dimensions</h2>
      <ul class="dimensions">
        {cell.dimensions.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-pressed={dimension === one.id}
              onClick={() => setDimension(dimension === one.id ? '' : one.id)}
            >
              {titles.get(one.id) ?? one.id} <strong>{scoreText(one.score, one.uncertainty)}</strong>
            </button>
          </li>
        ))}
      </ul>
      <h2>Criteria</h2>
      <Table
        caption={dimension ? `Criteria of ${titles.get(dimension) ?? dimension}` : 'All criteria'}
        columns={columns}
        items={rows}
        start={{ column: 'lost', direction: 'descending' }}
        keyOf={(row) => row.id}
      />
      {rows.some((one) => one.authored) && <AuthoredNote />}
      <div aria-live="polite" ref={evidence}>
        {chosen && <RowEvidence row={chosen} of={`${cell.model}/${cell.challenge}`} />}
      </div>
    </>
  );
}

function rowColumns(titles: Map<string, string>, open: (id: string) => void): Column<Row>[] {
  return [
    {
      id: 'title',
      title: 'Criterion',
      isHead: true,
      key: (row) => row.title,
      show: (row) => (
        <button type="button" class="link" onClick={() => open(row.id)}>
          {row.title}
          {row.authored && ' ‡'}
        </button>
      ),
    },
    { id: 'text', title: 'Measured', key: (row) => row.text },
    {
      id: 'score',
      title: 'Score',
      isNumber: true,
      key: (row) => row.score,
      show: (row) => (row.score === null ? '—' : number(row.score)),
    },
    {
      id: 'lost',
      title: 'Points lost',
      isNumber: true,
      key: (row) => row.points_lost,
      show: (row) => fixed(row.points_lost, 2),
    },
    { id: 'dimension', title: 'Dimension', key: (row) => titles.get(row.dimension) ?? row.dimension },
  ];
}

/** What a row rests on. */
function RowEvidence({ row, of }: { row: Row; of: string }) {
  return (
    <section class="row-evidence" aria-label={`Evidence of ${row.title}`}>
      <h3>{row.title}</h3>
      <p>
        {row.text}
        {row.note && `: ${row.note}`}
      </p>
      <table>
        <caption>Evidence</caption>
        <tbody>
          {row.evidence.map((line, i) => (
            <tr key={i}>
              <th scope="row">{line.thing}</th>
              <td>{line.says}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p>
        The same on a terminal: <Command text={`assay explain ${of} ${row.id}`} />
      </p>
    </section>
  );
}
