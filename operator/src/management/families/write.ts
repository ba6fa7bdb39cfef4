/** Outcomes of writes as answers of the API. */
import type { Issue, Result } from '@gatehouse/crds';
import { toSnake } from '@gatehouse/crds/config';
import { invalid, RestError } from '../http/rest-error.ts';
import type { WriteProblem } from '../store/index.ts';

/** How members of a spec are called in bodies, where it is not their name in snake_case. */
export type FieldNames = Readonly<Record<string, string>>;

/** The value of a write. Throws the RestError of its problem, with the fields as the body calls them. */
export function written<T>(outcome: Result<T, WriteProblem>, what: string, names: FieldNames = {}): T {
  if (outcome.ok) return outcome.value;
  throw errorOf(outcome.error, what, names);
}

function errorOf(problem: WriteProblem, what: string, names: FieldNames): RestError {
  switch (problem.kind) {
    case 'exists':
      return new RestError('CONFLICT', { message: `The ${what} exists already; choose another slug`, param: 'slug' });
    case 'absent':
      return absent(what);
    case 'contended':
      return new RestError('CONFLICT', { message: `The ${what} was changed by others at the same time; try again` });
    case 'owned': {
      const fields = problem.fields.length === 0 ? '' : ` (${problem.fields.join(', ')})`;
      const message = `The ${what} is managed by ${problem.owner}${fields}; change it there, or repeat with ?force=true`;
      return new RestError('CONFLICT', { message });
    }
    case 'in-use':
      return new RestError('CONFLICT', { message: `The ${what} is used by ${problem.users.join(', ')}` });
    case 'invalid':
      return invalid(problem.issues.map((issue) => inBody(issue, names)));
    case 'forbidden':
      return new RestError('FORBIDDEN', { message: problem.message });
  }
}

export const absent = (what: string): RestError =>
  new RestError('ABSENT', { message: `The ${what} does not exist, or belongs to another workspace` });

/** Members whose own members are named as users, checks and providers have them. */
const VERBATIM: ReadonlySet<string | number> = new Set(['parameters', 'metadata', 'headers']);

/** Members of budgets that the rules between them name. */
const NAMED = /\b(?:creditLimit|alertThreshold|periodicReset(?:Days)?|nextUsageResetAt)\b/g;

const inWords = (message: string): string => message.replaceAll(NAMED, toSnake);

function inBody({ path, ...issue }: Issue, names: FieldNames): Issue {
  const [first, ...rest] = path;
  if (first === 'metadata') return { ...issue, path: ['slug'] };
  const members = first === 'spec' ? rest : path;
  const end = members.findIndex((step) => VERBATIM.has(step));
  const ours = (at: number): boolean => end === -1 || at <= end;
  const named = members.map((step, at) =>
    typeof step === 'number' || !ours(at) ? step : (names[step] ?? toSnake(step)),
  );
  return { ...issue, message: inWords(issue.message), path: named };
}
