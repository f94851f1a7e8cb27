import { collectorKinds } from '../collectors/registry.ts';
import type { Kind } from '../model/kind.ts';
import { DERIVED_KINDS } from './derived-kinds.ts';

/** Every kind of condition that can occur, by name: the collectors' own, and those derived at the tick. */
export const kinds: ReadonlyMap<string, Kind> = new Map([...collectorKinds, ...DERIVED_KINDS.map((kind) => [kind.kind, kind] as const)]);
