import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../lib/secret.ts';
import type { SideAnswer, SideRequest } from '../../../providers/contract.ts';
import type { CheckTools } from '../../contract.ts';
import { runCheck, subjectOf, toolsOf } from '../../testing.ts';

type Fields = Readonly<Record<string, string>>;

const PARAMETERS: Readonly<Record<string, object>> = {
  'aporia.validateProject': { projectID: 'p' },
  'bedrock.guard': { guardrailId: 'arn:aws:bedrock:x:1:guardrail/g', guardrailVersion: '1' },
  'f5-guardrails.scan': { projectId: 'p' },
  'mistral.moderateContent': { categories: ['pii'] },
  'pillar.scanPrompt': { scanners: ['pii'] },
  'qualifire.policy': { policies: ['be kind'] },
  'zscaler.guardrails': { policyId: 'p' },
};

/** Asks once; the answer is of no use. */
async function ask(
  id: string,
  fields: Fields,
  over: Partial<CheckTools> & { readonly replies?: readonly object[] } = {},
) {
  const sent: SideRequest[] = [];
  const replies = [...(over.replies ?? [])];
  const fetch = async (request: SideRequest): Promise<SideAnswer> => {
    sent.push(request);
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(replies.shift() ?? {})) };
  };
  const credential = new Map(Object.entries(fields).map(([name, value]) => [name, new Secret(value)]));
  const tools = toolsOf({ fetch, ...over });
  const answer = await runCheck(id, PARAMETERS[id] ?? {}, subjectOf(['text']), { tools, credential });
  return { answer, sent, urls: sent.map(({ url }) => url) };
}

const token = (payload: object): string => `h.${Buffer.from(JSON.stringify(payload)).toString('base64url')}.s`;
const AWS = { awsAccessKeyId: 'AKID', awsSecretAccessKey: 'secret-1' };

describe('without an address of its own', () => {
  test.for<[id: string, credential: Fields, want: string]>([
    ['aporia.validateProject', { apiKey: 'k' }, 'https://gr-prd.aporia.com/p/validate'],
    ['sydelabs.sydeguard', { apiKey: 'k' }, 'https://guard.sydelabs.ai/api/v1/guard/generate-score'],
    ['pillar.scanPrompt', { apiKey: 'k' }, 'https://api.pillarseclabs.com/api/v1/scan/prompt'],
    ['patronus.pii', { apiKey: 'k' }, 'https://api.patronus.ai/v1/evaluate'],
    ['mistral.moderateContent', { apiKey: 'k' }, 'https://api.mistral.ai/v1/chat/moderations'],
    [
      'pangea.textGuard',
      { apiKey: 'k', domain: 'aws.us.pangea.cloud' },
      'https://ai-guard.aws.us.pangea.cloud/v1/text/guard',
    ],
    [
      'pangea.pii',
      { apiKey: 'k', domain: 'aws.us.pangea.cloud' },
      'https://redact.aws.us.pangea.cloud/v1/redact_structured',
    ],
    ['promptfoo.guard', {}, 'https://api.promptfoo.dev/v1/guard'],
    [
      'azure.contentSafety',
      { apiKey: 'k', resourceName: 'res' },
      'https://res.cognitiveservices.azure.com/contentsafety/text:analyze?api-version=2024-11-01',
    ],
    [
      'azure.pii',
      { apiKey: 'k', 'pii.resourceName': 'own', resourceName: 'res' },
      'https://own.cognitiveservices.azure.com/language/:analyze-text?api-version=2024-11-01',
    ],
    [
      'acuvity.scan',
      { apiKey: token({ opaque: { 'apex-url': 'apex.example' } }) },
      'https://apex.example/_acuvity/scan',
    ],
    ['lasso.classify', { apiKey: 'k' }, 'https://server.lasso.security/gateway/v3/classify'],
    ['exa.online', { apiKey: 'k' }, 'https://api.exa.ai/search'],
    ['tavily.online', { apiKey: 'k' }, 'https://api.tavily.com/search'],
    [
      'promptsecurity.protectPrompt',
      { apiKey: 'k', apiDomain: 'eu.prompt.security' },
      'https://eu.prompt.security/api/protect',
    ],
    [
      'panw-prisma-airs.intercept',
      { AIRS_API_KEY: 'k' },
      'https://service.api.aisecurity.paloaltonetworks.com/v1/scan/sync/request',
    ],
    ['walledai.walledprotect', { apiKey: 'k' }, 'https://services.walled.ai/v1/walled-protect'],
    ['javelin.guardrails', { apiKey: 'k', application: 'a' }, 'https://api-dev.javelin.live/v1/guardrails/apply'],
    [
      'javelin.guardrails',
      { apiKey: 'k', application: 'a', domain: 'j.example' },
      'https://j.example/v1/guardrails/apply',
    ],
    ['f5-guardrails.scan', { apiKey: 'k' }, 'https://us1.calypsoai.app/backend/v1/scans'],
    [
      'crowdstrike-aidr.guardChatCompletions',
      { apiKey: 'k', baseUrl: 'https://cs.example/' },
      'https://cs.example/v1/guard_chat_completions',
    ],
    ['zscaler.guardrails', { zscalerApiKey: 'k' }, 'https://api.zseclipse.net/v1/detection/execute-policy'],
    ['akto.scan', { apiKey: 'k', apiDomain: 'akto.example' }, 'https://akto.example/api/validate/request'],
    ['qualifire.policy', { apiKey: 'k' }, 'https://proxy.qualifire.ai/api/evaluation/evaluate'],
    ['lakera.guard', { apiKey: 'k' }, 'https://api.lakera.ai/v2/guard'],
    ['cato.analyze', { apiKey: 'k' }, 'https://api.aisec.catonetworks.com/fw/v1/analyze'],
    [
      'bedrock.guard',
      { ...AWS, region: 'eu-west-1' },
      'https://bedrock-runtime.eu-west-1.amazonaws.com/guardrail/arn%3Aaws%3Abedrock%3Ax%3A1%3Aguardrail%2Fg/version/1/apply',
    ],
  ])('%s of %o calls its usual host', async ([id, credential, want]) => {
    expect((await ask(id, credential)).urls).toEqual([want]);
  });

  test('a call is one of the account, so that its reach decides where it may go', async () => {
    expect((await ask('akto.scan', { apiKey: 'k', apiDomain: 'akto.example' })).sent).toMatchObject([
      { account: true },
    ]);
  });
});

describe('a credential that cannot be used is an error, and nothing is sent', () => {
  test.for<[rule: string, id: string, credential: Fields, says: string]>([
    ['no domain', 'pangea.textGuard', { apiKey: 'k' }, 'domain'],
    ['a domain that is a path', 'pangea.textGuard', { apiKey: 'k', domain: 'x.example/a?b' }, 'domain'],
    ['a domain with a user', 'akto.scan', { apiKey: 'k', apiDomain: 'x@evil.example' }, 'apiDomain'],
    ['an empty key', 'akto.scan', { apiKey: ' \n', apiDomain: 'x.example' }, 'apiKey'],
    ['a key that names no address', 'acuvity.scan', { apiKey: 'k' }, 'apiKey'],
    ['a resource that is no name', 'azure.pii', { apiKey: 'k', resourceName: 'x.example/' }, 'resourceName'],
    ['no resource', 'azure.pii', { apiKey: 'k' }, 'resourceName'],
    ['no region', 'bedrock.guard', AWS, 'awsRegion'],
    ['a region that is no name', 'bedrock.guard', { ...AWS, awsRegion: 'x.example/' }, 'awsRegion'],
    ['no role', 'bedrock.guard', { awsAuthType: 'assumedRole', awsRegion: 'eu-west-1' }, 'awsRoleArn'],
    [
      'the identity of the gateway',
      'bedrock.guard',
      { awsAuthType: 'serviceRole', awsRegion: 'eu-west-1' },
      'credential',
    ],
    ['the identity of the gateway', 'azure.pii', { azureAuthMode: 'managed', resourceName: 'r' }, 'credential'],
  ])('%s: %s', async ([, id, credential, says]) => {
    const { answer, sent } = await ask(id, credential);
    expect(sent).toEqual([]);
    expect(answer).toMatchObject({
      verdict: true,
      error: { name: 'CredentialError', message: expect.stringContaining(says) },
    });
  });

  test.for(['not a url', 'ftp://x.example'])('an address that is %j', async (baseUrl) => {
    const { answer, sent } = await ask('akto.scan', { apiKey: 'k', baseUrl });
    expect(sent).toEqual([]);
    expect(answer).toMatchObject({ verdict: true, error: { name: 'InvalidInput' } });
  });
});

describe('a cloud', () => {
  const cloud = { env: (name: string) => ({ AWS_REGION: 'ap-south-1' })[name], ownIdentity: false };

  test('gives the region that the credential does not name', async () => {
    const { urls, sent } = await ask('bedrock.guard', AWS, { cloud });
    expect(urls[0]).toContain('https://bedrock-runtime.ap-south-1.amazonaws.com/');
    expect(sent[0]?.headers?.['authorization']).toContain('/ap-south-1/bedrock/aws4_request');
  });

  test('gives a token for an application', async () => {
    const fields = {
      azureAuthMode: 'entra',
      resourceName: 'r',
      tenantId: 't',
      clientId: 'c',
      clientSecret: 'secret-1',
    };
    const { answer, sent } = await ask('azure.pii', fields, {
      replies: [{ access_token: 'token-1', expires_in: 3_600 }],
    });
    expect(sent[0]).toMatchObject({ url: 'https://login.microsoftonline.com/t/oauth2/v2.0/token' });
    expect(sent[1]?.headers).toMatchObject({ authorization: 'Bearer token-1' });
    expect(inspect(answer, { depth: 9 })).not.toContain('secret-1');
  });

  test('takes a key as the token where tokens are asked for', async () => {
    const { sent } = await ask('azure.pii', { azureAuthMode: 'entra', resourceName: 'r', apiKey: 'token-2' });
    expect(sent).toMatchObject([{ headers: { authorization: 'Bearer token-2' } }]);
  });
});

test('more texts than are asked about are an error', async () => {
  const parts = Array.from({ length: 129 }, (_, i) => `text ${i}`);
  const answer = await runCheck('promptfoo.pii', {}, subjectOf(parts));
  expect(answer).toMatchObject({
    verdict: true,
    error: { name: 'InvalidInput', message: expect.stringContaining('128') },
  });
});

test('more documents than one call may have are sent in several', async () => {
  const bodies: unknown[] = [];
  const fetch = async ({ body }: SideRequest): Promise<SideAnswer> => {
    bodies.push(JSON.parse(body ?? '').analysisInput.documents.map(({ id }: { id: string }) => id));
    return { status: 200, headers: {}, body: Buffer.from('{"results":{"documents":[]}}') };
  };
  const credential = new Map(Object.entries({ apiKey: 'k', resourceName: 'r' }).map(([k, v]) => [k, new Secret(v)]));
  const subject = subjectOf(['a', 'b', '', 'c', 'd', 'e', 'f']);
  expect(await runCheck('azure.pii', {}, subject, { tools: toolsOf({ fetch }), credential })).toMatchObject({
    verdict: true,
  });
  expect(bodies).toEqual([['0', '1', '2', '3', '4'], ['5']]);
});
