import type { Alert } from './alert.ts';

/** An open alert that no other open one explains, and the alerts below it. */
export interface Family {
  root: Alert;
  children: Alert[];
}

/**
 * Puts open alerts under their roots, by `parentAlert` of the one and `childAlerts` of the other. An alert whose parent
 * is not open here is a root: nothing is hidden behind an alert that is not shown. Of alerts that are each other's
 * parents the first by key is the root.
 */
export function familiesOf(open: readonly Alert[]): Family[] {
  const byKey = new Map(open.map((alert) => [alert.key, alert]));
  const parents = new Map<string, string>();
  for (const alert of open) {
    for (const child of alert.children) {
      const key = keyOfUri(child);
      if (byKey.has(key)) parents.set(key, alert.key);
    }
  }
  for (const alert of open) {
    const key = alert.parent === null ? null : keyOfUri(alert.parent);
    if (key !== null && byKey.has(key)) parents.set(alert.key, key);
  }
  const roots = rootsOf(open, parents);
  const families = new Map<string, Family>();
  for (const alert of open) {
    if (roots.get(alert.key) === alert.key) families.set(alert.key, { root: alert, children: [] });
  }
  for (const alert of open) {
    const root = roots.get(alert.key) as string;
    if (root !== alert.key) families.get(root)?.children.push(alert);
  }
  return [...families.values()];
}

function keyOfUri(uri: string): string {
  return `alerts ${uri}`;
}

/** Follows parents to the top, each alert once. */
function rootsOf(open: readonly Alert[], parents: ReadonlyMap<string, string>): Map<string, string> {
  const roots = new Map<string, string>();
  for (const { key } of open) {
    const path: string[] = [];
    const onPath = new Set<string>();
    let at = key;
    while (!roots.has(at) && !onPath.has(at)) {
      path.push(at);
      onPath.add(at);
      const up = parents.get(at);
      if (up === undefined) break;
      at = up;
    }
    const cycle = onPath.has(at) ? path.slice(path.indexOf(at)) : [];
    const root = roots.get(at) ?? (cycle.length > 0 ? cycle.reduce((a, b) => (a < b ? a : b)) : at);
    for (const step of path) roots.set(step, root);
  }
  return roots;
}
