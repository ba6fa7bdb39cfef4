import { describe, expect, test } from 'vitest';
import { type Command, parseInvocation, portOf } from './command.ts';
import { describeCommand } from './help.ts';
import { runCommandLine } from './index.ts';
import { type Shell, UsageError } from './shell.ts';

interface Written {
  readonly out: string[];
  readonly err: string[];
}

function shellOf(written: Written): Shell {
  return {
    variables: {},
    interactive: false,
    out: (line) => written.out.push(line),
    err: (line) => written.err.push(line),
    onStop: () => () => {},
    onFault: () => {},
    exit: () => {
      throw new Error('the process would have ended');
    },
  };
}

const silent = (): Shell => shellOf({ out: [], err: [] });

const COMMAND: Command = {
  name: 'do',
  summary: 'does something',
  operands: { value: 'FILE...' },
  options: {
    size: { value: 'N', summary: 'how much', default: '3' },
    fast: { summary: 'at once' },
    mode: { value: 'up|down', summary: 'where to', choices: ['up', 'down'] },
  },
  notes: ['It takes a while.'],
  examples: [{ purpose: 'one file', line: 'gatehouse do a' }],
  run: async () => 0,
};

describe('an invocation', () => {
  test('has its options, with defaults, and its operands', () => {
    const { options, operands } = parseInvocation(COMMAND, ['a', '--size', '4', 'b'], silent());
    expect([options['size'], operands]).toEqual(['4', ['a', 'b']]);
    expect(parseInvocation(COMMAND, ['a'], silent()).options['size']).toBe('3');
  });

  test.for([
    { rule: 'an unknown option', args: ['--no', 'a'] },
    { rule: 'an option without its value', args: ['a', '--size'] },
    { rule: 'no operand', args: [] },
    { rule: 'a value that is none of the choices', args: ['a', '--mode', 'left'] },
  ])('is refused for $rule', ({ args }) => {
    expect(() => parseInvocation(COMMAND, args, silent())).toThrow(UsageError);
  });

  test('knows a switch that is set from one that is not', () => {
    const fast = (...args: string[]) => parseInvocation(COMMAND, ['a', ...args], silent()).options['fast'];
    expect([fast('--fast'), fast()]).toEqual(['true', undefined]);
  });

  test('is refused with the option that was meant', () => {
    expect(() => parseInvocation(COMMAND, ['a', '--fats'], silent())).toThrow('did you mean --fast?');
  });

  test('is refused for an unexpected operand', () => {
    const { operands: _, ...plain } = COMMAND;
    expect(() => parseInvocation(plain, ['a'], silent())).toThrow(UsageError);
  });

  test('is described with every option', () => {
    const help = describeCommand(COMMAND);
    for (const word of ['--size N', '--fast', '--help', 'FILE...', '(3)', 'takes a while', '# one file', 'do a'])
      expect(help).toContain(word);
  });

  test.for([
    { text: '0', port: 0 },
    { text: '65535', port: 65_535 },
    { text: '65536', port: undefined },
    { text: '-1', port: undefined },
    { text: '80a', port: undefined },
    { text: '', port: undefined },
  ])('takes the port "$text": $port', ({ text, port }) => {
    if (port === undefined) expect(() => portOf('port', text)).toThrow(UsageError);
    else expect(portOf('port', text)).toBe(port);
  });
});

describe('the command line', () => {
  test.for([
    { args: ['--version'], status: 0, out: 1, err: 0 },
    { args: ['--help'], status: 0, out: 1, err: 0 },
    { args: ['-h'], status: 0, out: 1, err: 0 },
    { args: ['help'], status: 0, out: 1, err: 0 },
    { args: ['help', 'validate'], status: 0, out: 1, err: 0 },
    { args: ['help', 'nonsense'], status: 2, out: 0, err: 1 },
    { args: ['validate', '-h'], status: 0, out: 1, err: 0 },
    { args: ['version'], status: 0, out: 1, err: 0 },
    { args: ['version', '--format', 'xml'], status: 2, out: 0, err: 1 },
    { args: ['completion', 'powershell'], status: 2, out: 0, err: 1 },
    { args: ['completion'], status: 2, out: 0, err: 1 },
    { args: ['doctor', '--nonsense'], status: 2, out: 0, err: 1 },
    { args: ['standalone', '--help'], status: 0, out: 1, err: 0 },
    { args: ['guardrail', 'run', 'a.yaml'], status: 2, out: 0, err: 1 },
    { args: ['guardrail', 'test'], status: 2, out: 0, err: 1 },
    { args: ['guardrail', 'test', '/nowhere'], status: 1, out: 0, err: 1 },
    { args: ['guardrail', 'test', '/dev/null'], status: 1, out: 0, err: 1 },
    { args: [], status: 2, out: 0, err: 1 },
    { args: ['nonsense'], status: 2, out: 0, err: 1 },
    { args: ['standalone', '--port', 'x'], status: 2, out: 0, err: 1 },
    { args: ['standalone', '--resources', '.', '--port', 'x'], status: 2, out: 0, err: 1 },
    { args: ['validate', '--nonsense'], status: 2, out: 0, err: 1 },
    { args: ['render', '.', '--format', 'xml'], status: 2, out: 0, err: 1 },
    { args: ['validate', '/nowhere'], status: 1, out: 0, err: 1 },
    { args: ['standalone', '--resources', '/nowhere'], status: 1, out: 0, err: 1 },
    { args: ['standalone', '--resources', '/dev/null'], status: 1, out: 0, err: 1 },
  ])('$args ends with $status in one line', async ({ args, status, out, err }) => {
    const written: Written = { out: [], err: [] };
    expect(await runCommandLine(args, shellOf(written))).toBe(status);
    expect([written.out.length, written.err.length]).toEqual([out, err]);
    expect(written.err.join()).not.toContain('\n');
  });

  test('suggests the command that was meant, and passes no control characters on', async () => {
    const written: Written = { out: [], err: [] };
    await runCommandLine(['validat'], shellOf(written));
    await runCommandLine(['\u001b[2J'], shellOf(written));
    await runCommandLine(['validate', '/\u001b[2J'], shellOf(written));
    expect(written.err[0]).toContain('did you mean validate?');
    expect(written.err.join('')).not.toContain('\u001b');
  });

  test('names the invalid variable of the environment', async () => {
    const written: Written = { out: [], err: [] };
    const shell = { ...shellOf(written), variables: { PORT: 'many' } };
    expect(await runCommandLine(['standalone', '--resources', '.'], shell)).toBe(1);
    expect(written.err).toEqual([expect.stringContaining('PORT')]);
  });
});
