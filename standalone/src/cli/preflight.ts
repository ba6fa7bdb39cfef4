/** Checks before a command starts: settings of the environment, paths and ports. */
import { access, constants, readFile, stat } from 'node:fs/promises';
import type { TargetCaps } from '@gatehouse/crds/config';
import { type GatewaySettings, readEnvironment, toSettings, type Variables } from '@gatehouse/gateway';
import { CommandError } from './shell.ts';

/** The settings of the environment. Throws CommandError for invalid values. */
export function settingsOf(variables: Variables): GatewaySettings {
  try {
    return toSettings(readEnvironment(variables));
  } catch (error) {
    throw new CommandError(error instanceof Error ? error.message : String(error));
  }
}

export const capsOf = (variables: Variables): TargetCaps => settingsOf(variables).caps;

/** Throws CommandError for the first path that cannot be read. */
export async function checkReadable(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await access(path, constants.R_OK).catch((error: unknown) => {
      throw new CommandError(`${path} cannot be read: ${systemErrorText(error)}`);
    });
  }
}

/** Throws CommandError if the path is not a readable folder. */
export async function checkFolder(path: string): Promise<void> {
  await checkReadable([path]);
  if (!(await stat(path)).isDirectory()) throw new CommandError(`${path} is not a folder`);
}

/** Texts of error codes of the system. */
const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'no such file or folder'],
  ['EACCES', 'permission denied'],
  ['EADDRINUSE', 'the port is in use'],
  ['EADDRNOTAVAIL', 'the address is not of this machine'],
  ['ENOTFOUND', 'the host name is unknown'],
]);

/** A short text for the error of a system call. */
export function systemErrorText(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return (code === undefined ? undefined : REASONS.get(code)) ?? code ?? String(error);
}

/** Throws a CommandError for an address that cannot be listened on, and rethrows every other error. */
export function throwListenError(error: unknown): never {
  if (
    !(error instanceof Error) ||
    !('syscall' in error) ||
    (error.syscall !== 'listen' && error.syscall !== 'getaddrinfo')
  ) {
    throw error;
  }
  const { address, port } = error as Error & { address?: string; port?: number };
  const listener = port === undefined ? 'the address' : `${address ?? ''}:${port}`;
  throw new CommandError(`cannot listen on ${listener}: ${systemErrorText(error)}`);
}

/** The certificate authorities in the file that a variable names. Throws CommandError. */
export async function readCertificates(variables: Variables, name: string): Promise<string | undefined> {
  const path = variables[name];
  if (path === undefined || path === '') return undefined;
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new CommandError(`${name}: ${path} cannot be read: ${systemErrorText(error)}`);
  });
}
