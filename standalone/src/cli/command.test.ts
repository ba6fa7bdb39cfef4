import { describe, expect, test } from 'vitest';
import { type Command, describeCommand, parseInvocation, portOf } from './command.ts';
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
  operands: 'FILE...',
  options: { size: { value: 'N', summary: 'how much', default: '3' }, fast: { summary: 'at once' } },
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
  ])('is refused for $rule', ({ args }) => {
    expect(() => parseInvocation(COMMAND, args, silent())).toThrow(UsageError);
  });

  test('is refused for an unexpected operand', () => {
    const { operands: _, ...plain } = COMMAND;
    expect(() => parseInvocation(plain, ['a'], silent())).toThrow(UsageError);
  });

  test('is described with every option', () => {
    const help = describeCommand(COMMAND);
    for (const word of ['--size N', '--fast', '--help', 'FILE...', '(3)']) expect(help).toContain(word);
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
    { args: ['standalone', '--help'], status: 0, out: 1, err: 0 },
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

  test('names the invalid variable of the environment', async () => {
    const written: Written = { out: [], err: [] };
    const shell = { ...shellOf(written), variables: { PORT: 'many' } };
    expect(await runCommandLine(['standalone', '--resources', '.'], shell)).toBe(1);
    expect(written.err).toEqual([expect.stringContaining('PORT')]);
  });
});
