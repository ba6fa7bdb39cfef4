import { MANAGEMENT_PREFIXES } from '@gatehouse/crds/rest';
import { describe, expect, test } from 'vitest';
import { ROUTES } from './register.ts';

const find = (method: string, path: string) =>
  ROUTES.find((route) => route.method === method && route.path === path)?.operation;

describe('the routes of the data plane', () => {
  test.for([
    { method: 'POST', path: '/v1/chat/completions', id: 'chatComplete', protocol: 'chat', reads: 'json' },
    { method: 'POST', path: '/v1/completions', id: 'complete', protocol: 'completion', reads: 'json' },
    { method: 'POST', path: '/v1/embeddings', id: 'embed', protocol: 'embedding', reads: 'json' },
    { method: 'POST', path: '/v1/messages', id: 'messages', protocol: 'messages', reads: 'json' },
    {
      method: 'POST',
      path: '/v1/messages/count_tokens',
      id: 'messagesCountTokens',
      protocol: 'messages',
      reads: 'json',
    },
    { method: 'POST', path: '/v1/responses', id: 'createModelResponse', protocol: 'responses', reads: 'json' },
    {
      method: 'GET',
      path: '/v1/responses/:response_id',
      id: 'getModelResponse',
      protocol: 'responses',
      reads: 'none,json,form,binary',
    },
    {
      method: 'DELETE',
      path: '/v1/responses/:response_id',
      id: 'deleteModelResponse',
      protocol: 'responses',
      reads: 'none,json,form,binary',
    },
    {
      method: 'GET',
      path: '/v1/responses/:response_id/input_items',
      id: 'listResponseInputItems',
      protocol: 'responses',
      reads: 'none,json,form,binary',
    },
    { method: 'GET', path: '/v1/models', id: 'listModels', protocol: 'models', reads: 'none,json,form,binary' },
    ...['GET', 'POST', 'PUT', 'DELETE'].map((method) => ({
      method,
      path: '/v1/*',
      id: 'proxy',
      protocol: 'proxy',
      reads: 'none,json,form,binary',
    })),
  ])('$method $path is $id', ({ method, path, id, protocol, reads }) => {
    expect(find(method, path)).toMatchObject({ id, protocol, bodies: reads.split(',') });
  });

  test('need completions.write; the catalogue opens to whoever may list', () => {
    for (const { operation } of ROUTES) expect(operation.scopes).toContain('completions.write');
    expect(find('GET', '/v1/models')?.scopes).toEqual(['virtual_keys.list', 'models.list', 'completions.write']);
  });

  test('are cached where they are read by a model, never where they are read from a store', () => {
    const cached = ROUTES.filter(({ operation }) => operation.cacheable).map(({ operation }) => operation.id);
    expect(new Set(cached)).toEqual(
      new Set(['chatComplete', 'complete', 'embed', 'messages', 'createModelResponse', 'proxy']),
    );
  });

  test('do not route PATCH, and leave the management API alone', () => {
    expect(ROUTES.map(({ method }) => method)).not.toContain('PATCH');
    for (const { path } of ROUTES) expect(MANAGEMENT_PREFIXES.has(path.split('/')[2] ?? '')).toBe(false);
  });
});
