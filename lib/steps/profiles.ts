import { Profile } from '../harness/profile.ts';
import { sha256Hex } from '../model/identity.ts';
import { type Store, unlessDamaged } from '../store/store.ts';

/** What was learned of an endpoint; null where that is nothing yet, or cannot be read. */
export async function readProfile(store: Store, label: string): Promise<Profile | null> {
  return unlessDamaged(store.get(keyOf(label), Profile));
}

export async function writeProfile(store: Store, profile: Profile): Promise<void> {
  await store.put(keyOf(profile.label), profile);
}

function keyOf(label: string): string {
  return `model/profiles/${sha256Hex(label).slice(0, 32)}`;
}
