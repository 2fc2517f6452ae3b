//! Everything that lists of skills, agents and servers depend on.

use super::Edition21;
use super::agents::Agent;
use super::git::Checkout;
use super::plugins::Plugin;
use super::settings::Settings;
use crate::answer::Standpoint;

/// The question, and the results that the lists depend on.
pub(super) struct Around<'a> {
    pub(super) edition: &'a Edition21,
    pub(super) at: &'a Standpoint,
    pub(super) settings: &'a Settings,
    pub(super) checkout: Option<&'a Checkout>,
    pub(super) agent: &'a Agent,
    pub(super) plugins: &'a [Plugin],
}
