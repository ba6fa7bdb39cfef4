import { err, ok } from '@gatehouse/crds';
import { describe, expect, test } from 'vitest';
import type { ResourceStore, WriteProblem } from '../../store/index.ts';
import { createMemoryStore } from '../../store/testing.ts';
import { addVersion, deleteWithVersions } from './versions.ts';

const PROMPT = { kind: 'Prompt', namespace: 'team-a', name: 'greeting' } as const;
const versions = [1, 2].map((number) => ({
  kind: 'PromptVersion' as const,
  namespace: 'team-a',
  name: `greeting-v${number}`,
}));
const IN_USE: WriteProblem = { kind: 'in-use', users: ['Prompt/team-a/greeting'] };
const OWNED: WriteProblem = { kind: 'owned', owner: 'Flux kustomization apps', fields: [] };

interface Deleted {
  readonly gone: string[];
  readonly store: ResourceStore;
}

/** Refuses deletions with what `problem` says, and notes the others. */
function storeThat(problem: (name: string, gone: readonly string[]) => WriteProblem | undefined): Deleted {
  const gone: string[] = [];
  const remove: ResourceStore['delete'] = async ({ name }, { dryRun = false }) => {
    const found = problem(name, gone);
    if (found !== undefined) return err(found);
    if (!dryRun) gone.push(name);
    return ok(undefined);
  };
  return { gone, store: { ...createMemoryStore(), delete: remove } };
}

const remove = ({ store }: Deleted) =>
  deleteWithVersions({ place: PROMPT, versions, what: 'prompt' }, { force: false }, { store });

describe('the deletion of a prompt', () => {
  test('takes versions that it used itself', async () => {
    const deleted = storeThat((name, gone) =>
      name === 'greeting-v2' && !gone.includes('greeting') ? IN_USE : undefined,
    );
    await remove(deleted);
    expect(deleted.gone).toEqual(['greeting', 'greeting-v1', 'greeting-v2']);
  });

  test.for([
    { rule: 'it is in use', name: 'greeting', problem: IN_USE },
    { rule: 'another tool owns a version', name: 'greeting-v2', problem: OWNED },
  ])('takes nothing where $rule', async ({ name, problem }) => {
    const deleted = storeThat((asked) => (asked === name ? problem : undefined));
    await expect(remove(deleted)).rejects.toMatchObject({ error: 'CONFLICT' });
    expect(deleted.gone).toEqual([]);
  });
});

describe('the number of a version', () => {
  const newest = { id: 'x', number: 4, description: undefined, content: '', createdAt: '' };

  test('is the next one that nobody has taken', async () => {
    const asked: number[] = [];
    const made = await addVersion([newest], async (number) => {
      asked.push(number);
      return number < 7 ? err({ kind: 'exists' }) : ok(number);
    });
    expect([made, asked]).toEqual([{ ok: true, value: 7 }, [5, 6, 7]]);
  });

  test('is not looked for without an end, nor after another refusal', async () => {
    const taken = await addVersion([newest], async () => err({ kind: 'exists' }));
    expect(taken).toEqual(err({ kind: 'contended' }));
    const asked: number[] = [];
    const refused = await addVersion([], async (number) => {
      asked.push(number);
      return err(OWNED);
    });
    expect([refused, asked]).toEqual([err(OWNED), [1]]);
  });
});
