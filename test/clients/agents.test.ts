/** Coding agents against the standalone process: one task, a call of a tool, an answer. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isObject } from '@gatehouse/crds';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { capture } from '../../scripts/machine/index.ts';
import { AGENTS, type Agent, type AgentModel } from './agents.ts';
import { folderOf } from './install.ts';
import { type ClientWorld, KEY, startClientWorld } from './world.ts';

const NOTE = 'The harbour opens at seven.';
const OFFERS_TOOLS = /"tools":\s*\[\s*\{/;
const HAS_RESULT = /"tool_result"|"role":\s*"tool"|"functionResponse"|"function_call_output"/;
/** Nothing answers there: whatever does not go to this machine fails. */
const NOWHERE = 'http://127.0.0.1:9';
const OFFLINE = Object.fromEntries(
  ['HTTP_PROXY', 'HTTPS_PROXY', 'http_proxy', 'https_proxy'].map((name) => [name, NOWHERE]),
);

let world: ClientWorld;
beforeAll(async () => {
  world = await startClientWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

/** The file that a command starts. */
async function programOf({ name, command, program }: Agent): Promise<string> {
  const folder = join(folderOf('agents'), 'node_modules', name);
  if (program !== undefined) return join(folder, program);
  const { bin } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return join(folder, isObject(bin) ? String(bin[command]) : String(bin));
}

/** Gives an agent its task in a folder of its own. */
async function run(agent: Agent, model: AgentModel) {
  const place = { url: world.url, key: KEY };
  const home = join(world.folder, agent.command, String(agent.models.indexOf(model)));
  const note = join(home, 'project', 'note.txt');
  for (const [name, content] of Object.entries({ ...agent.files?.(place), 'project/note.txt': NOTE })) {
    await mkdir(dirname(join(home, name)), { recursive: true });
    await writeFile(join(home, name), content);
  }
  const { tool, input } = agent.reads;
  const prompt = `Use ${tool} ${JSON.stringify(input(note))}`;
  return capture([process.execPath, await programOf(agent), ...agent.args(prompt, model.name)], {
    cwd: dirname(note),
    env: {
      ...{ PATH: process.env['PATH'], HOME: home, ...OFFLINE, NO_PROXY: '127.0.0.1', no_proxy: '127.0.0.1' },
      ...agent.env(place, model.name),
    },
    timeoutMs: 240_000,
  });
}

describe.for(AGENTS)('$title', (agent) => {
  test.for(agent.models)('reads a file with a tool and answers, with $name', async (model) => {
    const before = world.mock.requests.at(-1)?.sequence ?? 0;
    const { code, stdout, stderr } = await run(agent, model);
    expect(code, stdout.slice(-2_000) + stderr.slice(-2_000)).toBe(0);
    expect(stdout).toMatch(/Mock answer from the tool result/);
    expect(stdout).toContain(NOTE);
    const received = world.mock.requests.filter(({ sequence }) => sequence > before);
    const bodies = received.filter(({ path }) => model.path.test(path)).map(({ body }) => body.toString());
    expect(bodies.some((body) => OFFERS_TOOLS.test(body))).toBe(true);
    expect(bodies.some((body) => HAS_RESULT.test(body))).toBe(true);
    expect(received.filter(({ headers }) => JSON.stringify(headers).includes('gwk_'))).toEqual([]);
  });
});
