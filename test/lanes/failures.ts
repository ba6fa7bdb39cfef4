/** The failed tests of a lane, short enough to stand at the end of a long output. Pure. */
import { relative } from 'node:path';
import { stripVTControlCharacters } from 'node:util';

export interface Failure {
  readonly test: string;
  readonly message: string;
}

/** The part of Vitest's JSON report that is read here. */
export interface Report {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message?: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

const MAX_TESTS = 20;
const MAX_LINES = 6;
const MAX_LINE_CHARACTERS = 200;
/** Of a command's output, which ends with what went wrong. */
const LAST_LINES = 20;

const DEPENDENCY_FRAME = /^\s+at .*(\/node_modules\/|new Promise \(<anonymous>\)|\(node:internal)/;

/** Failed tests, and files that failed without a failed test, for example because they did not load. */
export function readFailures({ testResults }: Report, root: string): Failure[] {
  return testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name);
    const failed = assertionResults.filter((result) => result.status === 'failed');
    if (failed.length === 0) return status === 'failed' ? [{ test: file, message: message ?? '' }] : [];
    return failed.map(({ fullName, failureMessages }) => ({
      test: `${file} > ${fullName}`,
      message: failureMessages?.[0] ?? '',
    }));
  });
}

/** The end of the output of a command that failed. */
export function commandFailure(output: string): Failure {
  return { test: 'the last lines of its output', message: linesOf(output).slice(-LAST_LINES).join('\n') };
}

/** At most 20 tests, each with the first lines of its message; frames inside dependencies are left out. */
export function formatFailures(failures: readonly Failure[]): string[] {
  const lines = failures.slice(0, MAX_TESTS).flatMap(({ test, message }) => {
    const limit = failures.length === 1 ? LAST_LINES : MAX_LINES;
    return [
      `  ${test}`,
      ...linesOf(message)
        .slice(0, limit)
        .map((line) => `    ${line}`),
    ];
  });
  const more = failures.length - MAX_TESTS;
  return more > 0 ? [...lines, `  and ${more} more`] : lines;
}

const linesOf = (text: string): string[] =>
  stripVTControlCharacters(text)
    .split('\n')
    .map((line) => line.trimEnd().slice(0, MAX_LINE_CHARACTERS))
    .filter((line) => line !== '' && !DEPENDENCY_FRAME.test(line));
