//! Work that takes longer than a moment: the client hears how it goes on, where
//! it asked for that, and may call it off.

use rmcp::{RoleServer, model::ProgressNotificationParam, service::RequestContext};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use crate::discovery::Progress;

/// What to tell, and where it is heard.
pub fn channel() -> (impl Fn(Progress) + Send + Sync, UnboundedReceiver<Progress>) {
    let (sender, steps): (UnboundedSender<Progress>, _) = unbounded_channel();
    // Nobody listens any more where the work was called off.
    (move |step| drop(sender.send(step)), steps)
}

/// Does the work, and passes on what is heard of it; none where the client calls
/// it off, which drops the work where it stands.
pub async fn relay<T>(
    context: &RequestContext<RoleServer>,
    work: impl Future<Output = T>,
    mut steps: UnboundedReceiver<Progress>,
) -> Option<T> {
    let token = context.meta.get_progress_token();
    let mut count = 0.0;
    tokio::pin!(work);
    loop {
        tokio::select! {
            biased;
            () = context.ct.cancelled() => return None,
            Some(step) = steps.recv() => if let Some(token) = &token {
                count += 1.0;
                let step = ProgressNotificationParam::new(token.clone(), count)
                    .with_message(step.message);
                // A client that cannot be told is about to be gone.
                let _ = context.peer.notify_progress(step).await;
            },
            done = &mut work => return Some(done),
        }
    }
}
