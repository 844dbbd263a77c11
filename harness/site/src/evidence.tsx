// SPDX-License-Identifier: Apache-2.0
// What was measured of a cell, as evidence has it: cases, metrics, curves, kernels, times, answers.
import { useMemo, useState } from 'preact/hooks';
import type { CaseOfSuite, Cell, Launch, Suite } from './data';
import { Command, Fold, type Quantity, Verdict, figure, sortable } from './parts';
import { type Column, Table } from './table';
import { TimesSection } from './times';

export function EvidenceSection({ cell, of }: { cell: Cell; of: string }) {
  const evidence = cell.evidence;
  const { environment } = evidence;
  return (
    <>
      <h2>Evidence</h2>
      <p class="quiet">
        Assay {environment.assay_version}, seed {environment.seed}, sandbox {environment.sandbox_level},{' '}
        {environment.compiler}. All of it: <code>reports/evidence/{cell.challenge}/{cell.model}.json</code>
      </p>
      <Cases suite={evidence.suite} of={of} seed={environment.seed} />
      <SanitizedCases cases={evidence.sanitized_suite.cases} />
      <Words title="What the compiler said" text={evidence.release.diagnostics} />
      <Words title="What the compiler said with sanitizers" text={evidence.sanitized.diagnostics} />
      <Words
        title="Findings of sanitizers and of the emulated GPU"
        text={[
          ...evidence.sanitizer_findings,
          ...evidence.suite.device_findings.map((one) => `${one.checker}: ${one.text}`),
          ...evidence.suite.device_lacks.map((one) => `the emulated GPU lacks: ${one}`),
        ].join('\n')}
      />
      <TimesSection cell={cell} of={of} />
      {evidence.suite.launches.map((launch, i) => (
        <Counters key={i} launch={launch} />
      ))}
      <Metrics suite={evidence.suite} />
      <Answers cell={cell} />
      <Fold summary={`Own tests: ${evidence.own_tests.mutants_killed.length} mutants killed`}>
        {() => (
          <>
            <p>Killed: {evidence.own_tests.mutants_killed.join(', ') || 'none'}.</p>
            <p>Survived: {evidence.own_tests.mutants_survived.join(', ') || 'none'}.</p>
          </>
        )}
      </Fold>
    </>
  );
}

function Words({ title, text }: { title: string; text: string }) {
  return text === '' ? null : <Fold summary={title}>{() => <pre tabIndex={0}>{text}</pre>}</Fold>;
}

const isFailing = (one: CaseOfSuite): boolean => one.verdict !== 'accepted' && one.verdict !== 'skipped';

const verdictColumn: Column<CaseOfSuite> = {
  id: 'verdict',
  title: 'Verdict',
  key: (one) => one.verdict,
  show: (one) => <Verdict verdict={one.verdict} />,
};
const detailColumn: Column<CaseOfSuite> = {
  id: 'detail',
  title: 'Detail',
  key: (one) => one.detail || one.skip_cause || null,
  show: (one) => <span class="detail">{one.detail || one.skip_cause}</span>,
};

const caseColumns = (open: (name: string) => void): Column<CaseOfSuite>[] => [
  {
    id: 'name',
    title: 'Case',
    isHead: true,
    key: (one) => one.name,
    show: (one) => (
      <button type="button" class="link" onClick={() => open(one.name)}>
        {one.name}
      </button>
    ),
  },
  verdictColumn,
  { id: 'gates', title: 'Gates', key: (one) => (one.gates ? 'yes' : 'no') },
  {
    id: 'error',
    title: 'Error / bound',
    isNumber: true,
    key: (one) => sortable(one.error_over_bound),
    show: (one) => figure(one.error_over_bound),
  },
  detailColumn,
];

function Cases({ suite, of, seed }: { suite: Suite; of: string; seed: number }) {
  const [which, choose] = useState(suite.cases.some(isFailing) ? 'failing' : 'all');
  const [text, setText] = useState('');
  const [open, setOpen] = useState<string | null>(null);
  const columns = useMemo(() => caseColumns(setOpen), []);
  const chosen = suite.cases.find((one) => one.name === open);
  const shown = useMemo(() => {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    return suite.cases.filter((one) => {
      const said = `${one.name} ${one.tags.join(' ')} ${one.detail}`.toLowerCase();
      return (
        (which === 'all' || (which === 'failing' ? isFailing(one) : one.verdict === 'skipped')) &&
        words.every((word) => said.includes(word))
      );
    });
  }, [suite, which, text]);
  return (
    <>
      <h3>Cases</h3>
      <form class="filters" onSubmit={(event) => event.preventDefault()}>
        <label>
          Show
          <select value={which} onChange={(event) => choose(event.currentTarget.value)}>
            <option value="all">all</option>
            <option value="failing">failing</option>
            <option value="skipped">skipped</option>
          </select>
        </label>
        <label>
          Name, tag or detail
          <input type="search" value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </label>
        <p role="status">
          {shown.length} of {suite.cases.length} cases
        </p>
      </form>
      <Table caption="Cases of the suite" columns={columns} items={shown} keyOf={(one) => one.name} />
      <div aria-live="polite">{chosen && <WholeCase one={chosen} again={`assay try submissions/${of} --case '${chosen.name}' --seed ${seed}`} />}</div>
      <p class="quiet">
        Its 20 most telling cases, in seconds, on a folder of yours: <Command text={`assay try submissions/${of}`} />
      </p>
    </>
  );
}

/** All that is known of a case: a row of many has room for its beginning alone. */
function WholeCase({ one, again }: { one: CaseOfSuite; again: string }) {
  return (
    <section class="row-evidence" aria-label={`Case ${one.name}`}>
      <h4>{one.name}</h4>
      <p>
        <Verdict verdict={one.verdict} />
        {one.skip_cause && `: ${one.skip_cause}`}; {one.gates ? 'decides the verdict' : 'does not decide the verdict'};
        error over its bound {figure(one.error_over_bound)}; {figure(one.seconds)} s; about {one.tags.join(', ')}.
      </p>
      {one.failing_operation && (
        <p>
          Asked last: <code>{one.failing_operation}</code>
          {one.failing_output && (
            <>
              ; wrong: <code>{one.failing_output}</code>
            </>
          )}
        </p>
      )}
      {one.detail && <p class="detail">{one.detail}</p>}
      {one.reproduction && (
        <p>
          Smallest that fails: <code>{one.reproduction}</code>
        </p>
      )}
      <p>
        Run it again, on the same inputs: <Command text={again} />
      </p>
    </section>
  );
}

const sanitizedColumns: Column<CaseOfSuite>[] = [
  { id: 'name', title: 'Case', isHead: true, key: (one) => one.name },
  verdictColumn,
  detailColumn,
];

/** The data has those that went wrong, and no others. */
function SanitizedCases({ cases }: { cases: CaseOfSuite[] }) {
  return cases.length === 0 ? null : (
    <Fold summary={`Cases that failed with sanitizers: ${cases.length}`}>
      {() => (
        <Table
          caption="Cases that failed with sanitizers"
          columns={sanitizedColumns}
          items={cases}
          keyOf={(one) => one.name}
        />
      )}
    </Fold>
  );
}

type Named = [string, Quantity];
const namedColumns: Column<Named>[] = [
  { id: 'name', title: 'Name', isHead: true, key: ([name]) => name },
  { id: 'value', title: 'Value', isNumber: true, key: ([, value]) => sortable(value), show: ([, value]) => figure(value) },
];

function Counters({ launch }: { launch: Launch }) {
  return (
    <Fold summary={`Kernel ${launch.kernel} (${launch.label})`}>
      {() => (
        <Table
          caption={`Counters on the emulated ${launch.gpu}`}
          columns={namedColumns}
          items={Object.entries(launch.values)}
          keyOf={([name]) => name}
        />
      )}
    </Fold>
  );
}

function Metrics({ suite }: { suite: Suite }) {
  const metrics = Object.entries(suite.metrics);
  const curves = Object.entries(suite.curves);
  return (
    <>
      {metrics.length > 0 && (
        <Fold summary={`Metrics: ${metrics.length}`}>
          {() => (
            <Table caption="Metrics of the suite" columns={namedColumns} items={metrics} keyOf={([name]) => name} />
          )}
        </Fold>
      )}
      {curves.length > 0 && (
        <Fold summary={`Curves: ${curves.length}`}>
          {() => (
            <ul>
              {curves.map(([name, points]) => (
                <li key={name}>
                  <code>{name}</code>: {points.map(([x, y]) => `${figure(y)} at ${figure(x)}`).join('; ')}
                </li>
              ))}
            </ul>
          )}
        </Fold>
      )}
    </>
  );
}

type Answer = Cell['evidence']['answers'][number];
const answerColumns: Column<Answer>[] = [
  { id: 'question', title: 'Question', isHead: true, key: (one) => one.question },
  { id: 'answered', title: 'Answered', key: (one) => one.answered || null },
  { id: 'expected', title: 'Right', key: (one) => one.expected },
  { id: 'right', title: 'Is right', key: (one) => (one.right ? 'yes' : 'no') },
];
type Claim = Cell['evidence']['claims'][number];
const claimColumns: Column<Claim>[] = [
  { id: 'claim', title: 'Claim', isHead: true, key: (one) => one.claim },
  { id: 'claimed', title: 'Claimed', isNumber: true, key: (one) => sortable(one.claimed), show: (one) => figure(one.claimed) },
  { id: 'measured', title: 'Measured', isNumber: true, key: (one) => sortable(one.measured), show: (one) => figure(one.measured) },
  { id: 'holds', title: 'Holds', key: (one) => (one.holds ? 'yes' : 'no') },
];

function Answers({ cell }: { cell: Cell }) {
  const { answers, claims } = cell.evidence;
  const right = answers.filter((one) => one.right).length;
  return (
    <>
      {answers.length > 0 && (
        <Fold summary={`Answers: ${right} of ${answers.length} right`}>
          {() => <Table caption="Answers" columns={answerColumns} items={answers} keyOf={(one) => one.question} />}
        </Fold>
      )}
      {claims.length > 0 && (
        <Fold summary={`Claims: ${claims.length}`}>
          {() => <Table caption="Claims" columns={claimColumns} items={claims} keyOf={(one) => one.claim} />}
        </Fold>
      )}
    </>
  );
}
