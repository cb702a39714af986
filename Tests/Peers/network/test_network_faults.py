"""Every fault of a wallet of DIDComm that a request can have, posted on the gate's own network, each followed by a proof that is accepted."""
import pytest

from aries_faults import POST_WAITS, POSTED, each
from aries_posts import PostRig
from gate import is_reference

pytestmark = pytest.mark.skipif(is_reference(), reason="the reference gate has no network")


@pytest.fixture(scope="module")
def shared_gate(tmp_path_factory):
    made = PostRig(tmp_path_factory.mktemp("posts"))
    made.open()
    try:
        yield made
    finally:
        made.close()


@pytest.fixture
def made(shared_gate):
    shared_gate.rig.restart_if_left_alone()
    return shared_gate


@pytest.mark.parametrize("fault", each(POSTED, POST_WAITS))
def test_a_fault_and_then_a_good_proof(made, fault):
    if fault == "replay":
        made.accepts_post()
    made.meets_post(fault)
    made.accepts_post()
