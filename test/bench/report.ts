import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem } from 'node:os';
import type { Bench } from './bench.ts';

const BEGIN = '<!-- bench: begin -->';
const END = '<!-- bench: end -->';

/** Where and from what a table was measured, as lines of Markdown. */
export async function describeRun(
  { processes, tools, seconds, rounds, background }: Bench,
  folder: string,
): Promise<string> {
  const git = async (...args: string[]): Promise<string> =>
    (await processes.run('git', { args: ['-C', folder, ...args] })).trim();
  const commit = await git('rev-parse', '--short', 'HEAD');
  const changed = (await git('status', '--porcelain', 'gateway', 'crds')) !== '';
  const [{ model = 'unknown' } = {}] = cpus();
  const memoryGb = Math.round(totalmem() / 1024 ** 3);
  const nginx = await processes.run('sh', { args: ['-c', `${tools.nginx} -v 2>&1`] });
  return [
    `* Machine: ${cpus().length} × ${model}, ${memoryGb} GB, Linux ${release()}`,
    `* Software: Node ${process.version}, ${nginx.trim().replace('nginx version: ', '')}`,
    `* Commit: ${commit}${changed ? ' with uncommitted changes in gateway or crds' : ''}`,
    `* ${rounds} rounds of ${seconds} s for each peer, interleaved; medians; a round is measured again when others disturb it`,
    `* Other programs used ${Math.round(100 * background)} % of a core when the bench began`,
  ].join('\n');
}

/** Puts text between the markers of a page; what people wrote around them stays. Throws when the page has no markers. */
export async function writeSection(file: string, text: string): Promise<void> {
  await writeFile(file, replaceSection(await readFile(file, 'utf8'), text));
}

export function replaceSection(page: string, text: string): string {
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`The page has no ${BEGIN} … ${END}`);
  return `${page.slice(0, begin + BEGIN.length)}\n${text}\n${page.slice(end)}`;
}
