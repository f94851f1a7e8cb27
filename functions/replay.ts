import { TimeId } from '../lib/model/time.ts';
import { replay } from '../lib/steps/replay.ts';
import { authorised } from './auth.ts';
import { createFunction, problem } from './function.ts';

const app = createFunction();
app.use('/:tick', authorised);

/** Plays a tick back from its recording; with `?model=now` the configured model is asked again instead. */
app.post('/:tick', async (c) => {
  const tick = c.req.param('tick');
  if (!TimeId.safeParse(tick).success)
    return problem(c, 404, { title: 'No such tick', detail: 'expected a tick such as 20261130t084500.000z' });
  const observer = c.get('observer');
  const askAgain = c.req.query('model') === 'now';
  if (askAgain && !observer.model)
    return problem(c, 400, { title: 'No model', detail: 'no model is configured that could be asked again' });
  return c.json(await replay(observer, tick, askAgain ? observer.model : null));
});

export default app;
