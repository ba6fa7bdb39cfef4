/** Coding agents against the standalone process: one question, a call of a tool, an answer. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { AGENTS, type Agent } from './agents.ts';
import { folderOf } from './install.ts';
import { type ClientWorld, KEY, startClientWorld } from './world.ts';

const PROMPT = 'Say hello';

let world: ClientWorld;
beforeAll(async () => {
  world = await startClientWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The file that a command starts. */
async function programOf({ name, command }: Agent): Promise<string> {
  const folder = join(folderOf('agents'), 'node_modules', name);
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return join(folder, isObject(bin) ? String(bin[command]) : String(bin));
}

describe.for(AGENTS)('$title', (agent) => {
  test('answers a question, with a call of a tool in between', async () => {
    const before = world.mock.requests.at(-1)?.sequence ?? 0;
    const home = join(world.folder, agent.command);
    const project = join(home, 'project');
    await mkdir(project, { recursive: true });
    for (const [name, content] of Object.entries(agent.files ?? {})) {
      await mkdir(dirname(join(home, name)), { recursive: true });
      await writeFile(join(home, name), content);
    }
    const { code, stdout, stderr } = await capture([process.execPath, await programOf(agent), ...agent.args(PROMPT)], {
      cwd: project,
      env: { PATH: process.env['PATH'], HOME: home, ...agent.env({ url: world.url, key: KEY }) },
      timeoutMs: 240_000,
    });
    expect(code, stdout.slice(-2_000) + stderr.slice(-2_000)).toBe(0);
    expect(stdout).toContain('Mock answer');
    const received = world.mock.requests.filter(({ sequence }) => sequence > before);
    const bodies = received.map(({ body }) => body.toString());
    expect(bodies.some((body) => /"tools":\s*\[\s*\{/.test(body))).toBe(true);
    expect(bodies.some((body) => /"tool_result"|"role":\s*"tool"|"functionResponse"/.test(body))).toBe(true);
    expect(received.filter(({ headers }) => JSON.stringify(headers).includes('gwk_'))).toEqual([]);
  });
});
