/** The shared credentials and config files of AWS tools; format: AWS CLI user guide, "Configuration and credential files". */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Secret } from '../../../lib/secret.ts';
import type { ProviderServices } from '../../contract.ts';
import type { AwsCredentials } from './credentials.ts';
import { readSmallFile } from './small-file.ts';

type Section = ReadonlyMap<string, string>;

/** The key pair of the profile, from the credentials file, else from the config file. */
export async function sharedFileCredentials(env: ProviderServices['env']): Promise<AwsCredentials | undefined> {
  const folder = join(homedir(), '.aws');
  const profile = env('AWS_PROFILE') ?? 'default';
  const credentialsFile = env('AWS_SHARED_CREDENTIALS_FILE') ?? join(folder, 'credentials');
  const configFile = env('AWS_CONFIG_FILE') ?? join(folder, 'config');
  return (
    keyPair(await readSection(credentialsFile, [profile])) ??
    keyPair(await readSection(configFile, [`profile ${profile}`, profile]))
  );
}

async function readSection(path: string, names: readonly string[]): Promise<Section | undefined> {
  const text = await readSmallFile(path);
  if (text === undefined) return undefined;
  const sections = parseIni(text);
  return names.map((name) => sections.get(name)).find((section) => section !== undefined);
}

function keyPair(section: Section | undefined): AwsCredentials | undefined {
  const accessKeyId = section?.get('aws_access_key_id');
  const secretAccessKey = section?.get('aws_secret_access_key');
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  const token = section?.get('aws_session_token');
  return {
    accessKeyId,
    secretAccessKey: new Secret(secretAccessKey),
    sessionToken: token === undefined ? undefined : new Secret(token),
  };
}

/** Sections by name with their `key = value` lines; comments, nested settings and anything else are left out. */
export function parseIni(text: string): ReadonlyMap<string, Section> {
  const sections = new Map<string, Map<string, string>>();
  let current: Map<string, string> | undefined;
  for (const line of text.split('\n')) {
    const header = line.trim();
    if (header.startsWith('[') && header.endsWith(']')) {
      const name = header.slice(1, -1).trim().replace(/\s+/g, ' ');
      current = sections.get(name) ?? new Map();
      sections.set(name, current);
      continue;
    }
    const at = line.indexOf('=');
    // A line that starts with white space continues the setting above it.
    if (at <= 0 || /^[\s#;]/.test(line)) continue;
    current?.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  return sections;
}
