import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import type { Bench } from './bench.ts';

/** Where and from what a table was measured, as lines of Markdown. */
export async function describeRun(
  { processes, tools, seconds, rounds, background }: Bench,
  folder: string,
): Promise<string> {
  const nginx = await processes.run('sh', { args: ['-c', `${tools.nginx} -v 2>&1`] });
  return [
    describeMachine(),
    `* Software: Node ${process.version}, ${nginx.trim().replace('nginx version: ', '')}`,
    await describeCommit(processes, folder, ['gateway', 'crds']),
    `* ${rounds} rounds of ${seconds} s for each peer, interleaved; medians; a round is measured again when others disturb it`,
    `* Other programs used ${Math.round(100 * background)} % of a core when the bench began`,
  ].join('\n');
}

/** The machine as a line of Markdown. */
export function describeMachine(): string {
  const [{ model = 'unknown' } = {}] = cpus();
  return `* Machine: ${cpus().length} × ${model}, ${Math.round(totalmem() / 1024 ** 3)} GB, Linux ${release()}`;
}

/** The commit as a line of Markdown, and whether one of the folders has changed since. */
export async function describeCommit(
  processes: Bench['processes'],
  folder: string,
  folders: readonly string[],
): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await processes.run('git', { args: ['-C', folder, ...args] })).trim();
  const commit = await git('rev-parse', '--short', 'HEAD');
  const changed = (await git('status', '--porcelain', ...folders)) !== '';
  return `* Commit: ${commit}${changed ? ` with uncommitted changes in ${folders.join(' or ')}` : ''}`;
}

/** Puts text between the markers of a page, `bench` unless named; what people wrote around them stays. Throws when the page has none. */
export async function writeSection(file: string, text: string, name?: string): Promise<void> {
  await writeFile(file, replaceSection(await readFile(file, 'utf8'), text, name));
}

/** The text between the markers of a page. Throws when the page has none. */
export async function readSection(file: string, name: string): Promise<string> {
  const page = await readFile(file, 'utf8');
  return page.slice(...bordersOf(page, name));
}

export function replaceSection(page: string, text: string, name = 'bench'): string {
  const [begin, end] = bordersOf(page, name);
  return `${page.slice(0, begin)}\n${text}\n${page.slice(end)}`;
}

/** Where the text between the markers begins and ends. */
function bordersOf(page: string, name: string): [begin: number, end: number] {
  const [beginMark, endMark] = [`<!-- ${name}: begin -->`, `<!-- ${name}: end -->`];
  const begin = page.indexOf(beginMark);
  const end = page.indexOf(endMark);
  if (begin < 0 || end < begin) throw new Error(`The page has no ${beginMark} … ${endMark}`);
  return [begin + beginMark.length, end];
}
