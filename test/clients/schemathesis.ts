/**
 * A program that makes its calls from the OpenAPI document of the management API, valid ones and others. No answer may be an error of the
 * server, and each has a status, a content type and a body that the document names.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { capture } from '../../scripts/machine/index.ts';
import { pythonOf } from './install.ts';

const CHECKS = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_schema_conformance',
];

export interface SchemathesisRun {
  /** Before `/v1`. */
  readonly url: string;
  readonly key: string;
  /** For what the program writes. */
  readonly folder: string;
  /** Calls of each operation, about. */
  readonly examples: number;
  readonly phases: readonly ('coverage' | 'fuzzing')[];
  /** PEM: the authorities of the server. */
  readonly ca?: string;
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>;
}

export interface SchemathesisReport {
  readonly code: number;
  /** Operations of the document. */
  readonly operations: number;
  /** Those that were called. */
  readonly tested: number;
  /** Calls. */
  readonly generated: number;
  /** The end of what the program has printed. */
  readonly output: string;
}

export async function runSchemathesis(options: SchemathesisRun): Promise<SchemathesisReport> {
  const { url, key, folder, examples, phases, ca, fetch: send = fetch } = options;
  const authorization = `Bearer ${key}`;
  const answer = await send(`${url}/v1/openapi.json`, { headers: { authorization } });
  const document = await answer.text();
  const path = join(folder, 'openapi.json');
  await writeFile(path, document);
  if (ca !== undefined) await writeFile(join(folder, 'ca.pem'), ca);
  const { code, stdout, stderr } = await capture(
    [
      ...[pythonOf('schemathesis'), '-m', 'schemathesis.cli', 'run', path, '--url', `${url}/v1`],
      ...['-H', `authorization: ${authorization}`, '--checks', CHECKS.join(), '--phases', phases.join()],
      ...['--max-examples', String(examples), '--seed', '1', '--generation-database', 'none'],
      ...['--no-color', '--warnings', 'off'],
      ...(ca === undefined ? [] : ['--tls-verify', join(folder, 'ca.pem')]),
    ],
    { cwd: folder, env: { PATH: process.env['PATH'], HOME: folder, PYTHONDONTWRITEBYTECODE: '1' } },
  );
  return {
    code,
    operations: Object.values<object>(JSON.parse(document).paths).flatMap(Object.keys).length,
    tested: Number(/Tested: (\d+)/.exec(stdout)?.[1] ?? 0),
    generated: Number(/(\d+) generated/.exec(stdout)?.[1] ?? 0),
    output: `${stdout.slice(-8_000)}\n${stderr.slice(-2_000)}`,
  };
}
