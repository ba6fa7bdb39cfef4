/** The scripts as shells run them: bash itself, and the syntax check of the others where they are installed. */
import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { tempFolder } from '../testing/index.ts';
import { runCommandLine } from './index.ts';

async function scriptFor(shell: string): Promise<string> {
  let out = '';
  const status = await runCommandLine(['completion', shell], {
    variables: {},
    interactive: false,
    out: (line) => {
      out += `${line}\n`;
    },
    err: () => undefined,
    onStop: () => () => {},
    onFault: () => {},
    exit: () => {
      throw new Error('the process would have ended');
    },
  });
  expect(status).toBe(0);
  return out;
}

const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version'], { stdio: 'ignore' }).status === 0;

/** What bash offers at the end of a command line. */
async function complete(line: string, cwd?: string): Promise<string[]> {
  const words = line.split(' ');
  const quoted = words.map((word) => `'${word}'`).join(' ');
  const call = `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}; _gatehouse; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout, stderr } = spawnSync('bash', ['-c', `${await scriptFor('bash')}\n${call}`], {
    encoding: 'utf8',
    cwd,
  });
  expect(stderr).toBe('');
  return stdout.split('\n').filter((word) => word !== '');
}

describe('bash', () => {
  test.for([
    { line: 'gatehouse va', want: ['validate'] },
    { line: 'gatehouse --v', want: ['--version'] },
    { line: 'gatehouse help re', want: ['render', 're-rate', 'replay'] },
    { line: 'gatehouse standalone --res', want: ['--resources'] },
    { line: 'gatehouse standalone --port ', want: [] },
    { line: 'gatehouse render --format ', want: ['yaml', 'json'] },
    { line: 'gatehouse validate --h', want: ['--help'] },
    { line: 'gatehouse validate ', want: [] },
    { line: 'gatehouse completion z', want: ['zsh'] },
    { line: 'gatehouse guardrail ', want: ['test'] },
    { line: 'gatehouse guardrail test ', want: [] },
    { line: 'gatehouse guardrail test a.yaml -o ', want: ['table', 'json'] },
    { line: 'gatehouse guardrail test a.yaml --sk', want: ['--skip-calls'] },
    { line: 'gatehouse get virt', want: ['virtualkey'] },
    { line: 'gatehouse get virtualkey --ke', want: ['--key-file'] },
    { line: 'gatehouse export gat', want: ['gatewayconfig'] },
    { line: 'gatehouse get virtualkey -o n', want: ['name'] },
    { line: 'gatehouse nonsense --', want: [] },
  ])('completes "$line"', async ({ line, want }) => {
    expect(await complete(line)).toEqual(want);
  });

  test.for(['standalone --resources', 'standalone --data', 'doctor --resources', 'doctor --data'])(
    'completes folders, with their spaces, after %s',
    async (option) => {
      using folder = tempFolder({ 'resources/a.yaml': '', 'res of mine/a.yaml': '', 'readme.md': '' });
      const found = await complete(`gatehouse ${option} re`, folder.path);
      expect(found.toSorted()).toEqual(['res of mine', 'resources']);
    },
  );
});

describe('names of objects', () => {
  const offer = async (names: string, line: string): Promise<string[]> => {
    using folder = tempFolder({
      gatehouse: `#!/bin/sh\nprintf '%s\\n' "$*" >> ${'"$(dirname "$0")"'}/calls\nprintf '${names}'\n`,
    });
    chmodSync(join(folder.path, 'gatehouse'), 0o755);
    const found = await complete(line.replace('gatehouse', join(folder.path, 'gatehouse')), folder.path);
    return [...found, ...readFileSync(join(folder.path, 'calls'), 'utf8').trim().split('\n')];
  };

  test('are asked from the installation, with the options of the command line', async () => {
    const offered = await offer(
      'main\\nmine\\nother\\n',
      'gatehouse get virtualkey -w team-a --url http://localhost m',
    );
    expect(offered).toEqual(['main', 'mine', 'get virtualkey -o name -w team-a --url http://localhost']);
  });

  test('run nothing that a server has put into them', async () => {
    const offered = await offer('main\\n$(touch pwned)\\n`touch pwned`\\n', 'gatehouse delete virtualkey ');
    expect(offered).toEqual(['main', 'get virtualkey -o name']);
  });
});

describe.for(['bash', 'zsh', 'fish'])('%s', (shell) => {
  test('gets every command and every option', async () => {
    const script = await scriptFor(shell);
    for (const word of ['standalone', 'validate', 'render', 'doctor', 'mock-provider', 'version', 'completion']) {
      expect(script).toContain(word);
    }
    for (const option of ['resources', 'log-format', 'quiet', 'offline', 'help']) expect(script).toContain(option);
  });

  test.runIf(isInstalled(shell))('can read its script', async () => {
    const { status, stderr } = spawnSync(shell, ['-n'], { input: await scriptFor(shell), encoding: 'utf8' });
    expect(status, stderr).toBe(0);
  });
});
