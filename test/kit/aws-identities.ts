/** Who gives out identities of AWS, on one port: the token service, and the agent of pods. */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface IdentityCall {
  /** `AssumeRole`, `AssumeRoleWithWebIdentity` or `agent`. */
  readonly action: string;
  readonly role: string | undefined;
  readonly externalId: string | undefined;
  /** What proves the caller: a token, or the key id of the signature. */
  readonly proof: string | undefined;
}

export interface AwsIdentities extends AsyncDisposable {
  readonly url: string;
  readonly calls: readonly IdentityCall[];
  isAway: boolean;
}

const LIFE_MS = 3_600_000;
export const SESSION_TOKEN = 'session/token==';

/** Every role and the agent have the given key pair, with a session token. */
export async function startAwsIdentities(keys: {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}): Promise<AwsIdentities> {
  const calls: IdentityCall[] = [];
  const server = createServer(async (request, response) => {
    const call = await callOf(request);
    calls.push(call);
    const end = new Date(Date.now() + LIFE_MS).toISOString();
    if (identities.isAway || call.proof === undefined) response.writeHead(503).end('<Error><Code>Away</Code></Error>');
    else if (call.action === 'agent') response.end(JSON.stringify(agentAnswer(keys, end)));
    else response.end(roleAnswer(keys, end));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port
  const identities: AwsIdentities = {
    ...{ url: `http://127.0.0.1:${port}`, calls, isAway: false },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return identities;
}

type Keys = Parameters<typeof startAwsIdentities>[0];

const agentAnswer = ({ accessKeyId, secretAccessKey }: Keys, end: string): object => ({
  ...{ AccessKeyId: accessKeyId, SecretAccessKey: secretAccessKey, Token: SESSION_TOKEN, Expiration: end },
});

const roleAnswer = ({ accessKeyId, secretAccessKey }: Keys, end: string): string =>
  `<R><Credentials><AccessKeyId>${accessKeyId}</AccessKeyId><SecretAccessKey>${secretAccessKey}</SecretAccessKey>` +
  `<SessionToken>${SESSION_TOKEN}</SessionToken><Expiration>${end}</Expiration></Credentials></R>`;

async function callOf(request: IncomingMessage): Promise<IdentityCall> {
  let body = '';
  for await (const piece of request) body += String(piece);
  const { authorization } = request.headers;
  if (request.method === 'GET') {
    return { action: 'agent', role: undefined, externalId: undefined, proof: authorization };
  }
  const form = new URLSearchParams(body);
  const signer = /Credential=(\w+)\/\d+\/[\w-]+\/sts\/aws4_request/.exec(authorization ?? '')?.[1];
  return {
    action: form.get('Action') ?? '',
    role: form.get('RoleArn') ?? undefined,
    externalId: form.get('ExternalId') ?? undefined,
    proof: form.get('WebIdentityToken') ?? signer,
  };
}
